"""Rectangles, ellipses and lines."""

import math

from chalicelib.engine.canvas import css
from chalicelib.engine.canvas.scene import Layer


def shape(layer: Layer, fill: str | None) -> dict[str, str | None]:
    """Return how the box of a rectangle or an ellipse looks."""
    stroke = layer["stroke"]
    rounded = "50%" if layer.type == "ellipse" else css.px(layer["radius"])
    return {
        **css.placed(layer),
        "background-color": None if fill is None else css.color(fill),
        "border": None
        if stroke is None
        else f"{css.px(layer['stroke_width'])} solid {css.color(stroke)}",
        "border-radius": None if rounded == "0px" else rounded,
    }


def line(layer: Layer, stroke: str) -> dict[str, str | None]:
    """Return a line as a turned bar, its middle where the line's is."""
    across, down = float(layer["width"]), float(layer["height"])
    length, thickness = math.hypot(across, down), layer["stroke_width"]
    bar = {
        **layer.fields,
        "x": layer["x"] + (across - length) / 2,
        "y": layer["y"] + (down - thickness) / 2,
        "width": length,
        "height": thickness,
        "rotation": layer["rotation"] + math.degrees(math.atan2(down, across)),
    }
    return {**css.placed(bar), "background-color": css.color(stroke)}
