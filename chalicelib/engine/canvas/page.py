"""The page that shows a scene, and the output that fits it."""

from collections.abc import Callable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from chalicelib.contract.layer_values import MAX_SIDE
from chalicelib.core.text import well_formed
from chalicelib.engine.canvas import css
from chalicelib.engine.canvas.binding import Binding, Run
from chalicelib.engine.canvas.draw import Drawing
from chalicelib.engine.canvas.scene import Scene, scene_invalid, scene_of
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.image import Viewport
from chalicelib.engine.options.output import PICTURES, Output
from chalicelib.engine.options.pdf import Bands, Margin

MOST_WARNINGS: Final = 50
_PX_PER_INCH: Final = 96
_NOTHING: Final = Bands(None, None)
# Nothing but pictures and this page's own style: whatever got past the escaping can do nothing.
_POLICY: Final = "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'"
_STYLE: Final = """\
*{margin:0;padding:0;box-sizing:border-box}
html{text-rendering:geometricPrecision;print-color-adjust:exact}
body{position:relative;overflow:hidden}
body div{position:absolute}
body>.scene{left:0;top:0;overflow:hidden}
.t{display:flex;flex-direction:column;overflow:hidden;contain:layout size}
.t p{flex:none;max-width:100%;white-space:pre-wrap;overflow-wrap:break-word;\
unicode-bidi:plaintext}
.shrink p{overflow-wrap:normal}
.ellipsis p{overflow-wrap:anywhere}
img{display:block;width:100%}
.code{padding-top:.15em;font-family:"Cousine",monospace;line-height:1.2;text-align:center;\
white-space:pre;overflow:hidden}
"""


@dataclass(frozen=True, slots=True)
class CanvasPage:
    """A scene with its data in place; `output` is what was asked for, fitted to the scene."""

    html: str
    output: Output
    warnings: tuple[RenderWarning, ...]


def page_of(
    source: Mapping[str, Any],
    data: Mapping[str, Any],
    output: Output,
    *,
    run: Run,
    uploads: Callable[[str], bytes],
    deadline: Deadline,
) -> CanvasPage:
    """Return the page of a scene over data; `run` runs a template over them, as plain text.

    Raises RenderFailure `scene_invalid`, `data_invalid`, `render_timeout`, that of a template and
    that of an upload.
    """
    scene = scene_of(source)
    fitted = _fitted(output, scene)
    warnings: list[RenderWarning] = []

    def warn(code: str, message: str, place: str) -> None:
        if len(warnings) < MOST_WARNINGS:
            warnings.append(RenderWarning(code, message, place))

    drawing = Drawing(Binding(data, run, warn), uploads, deadline, warn)
    for name in _unused(output):
        message = f"output.{name} was ignored: a canvas has its own size and one page"
        warn("feature_unavailable", message, f"output.{name}")
    layers = drawing.layers(scene.layers)
    html = well_formed(_page(scene, layers, output.locale))
    return CanvasPage(html, fitted, tuple(warnings))


def _page(scene: Scene, layers: str, locale: str | None) -> str:
    size = {"width": css.px(scene.width), "height": css.px(scene.height)}
    ground = None if scene.background is None else css.color(scene.background)
    language = "" if locale is None else f' lang="{escape(locale)}"'
    sheet = f"@page{{size:{size['width']} {size['height']};margin:0}}"
    # A page of paper is a fraction of a pixel larger: the body's ground covers all of it.
    body, stage = css.style({**size, "background-color": ground}), css.style(size)
    return (
        f'<!doctype html><html{language}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">'
        f"<style>{_STYLE}{sheet}</style></head>"
        f'<body {body}><div class="scene" {stage}>{layers}</div></body></html>'
    )


def _fitted(output: Output, scene: Scene) -> Output:
    """Return the output in the scene's own size, on one page without margins."""
    view = None
    if PICTURES.intersection(output.formats):
        view = _view(output, scene)
    image = output.image
    frame = image.frame or (None, None)
    return replace(
        output,
        viewport=view,
        image=replace(
            image,
            viewport=None,
            width=frame[0],
            height=frame[1],
            full_page=False,
            clip_selector=None,
        ),
        pdf=replace(
            output.pdf,
            width=scene.width / _PX_PER_INCH,
            height=scene.height / _PX_PER_INCH,
            landscape=False,
            scale=1.0,
            margin=Margin(0, 0, 0, 0),
            print_background=True,
            prefer_css_page_size=True,
            bands=_NOTHING,
            first=_NOTHING,
            last=_NOTHING,
            only=_NOTHING,
        ),
        javascript=False,
        media=None,
    )


def _view(output: Output, scene: Scene) -> Viewport:
    """Return the window of pictures; paper needs none, and may be larger than one can be."""
    window = output.window()
    scale = 1.0 if window is None else window.device_scale_factor
    _check_side("width", scene.width * scale)
    _check_side("height", scene.height * scale)
    return Viewport(scene.width, scene.height, scale)


def _unused(output: Output) -> Iterator[str]:
    """Yield what was asked for and has no meaning for a scene."""
    bands = output.pdf.bands
    pdf = "pdf" in output.formats
    if pdf and bands.header is not None:
        yield "pdf.header"
    if pdf and bands.footer is not None:
        yield "pdf.footer"
    if PICTURES.isdisjoint(output.formats):
        return
    image = output.image
    if image.full_page:
        yield "image.full_page"
    if image.clip_selector is not None:
        yield "image.clip_selector"
    if image.frame is None:
        yield from (f"image.{side}" for side in ("width", "height") if getattr(image, side))


def _check_side(side: str, pixels: float) -> None:
    if round(pixels) > MAX_SIDE:
        message = (
            f"the picture would have {round(pixels)} pixels here with output.image.scale; "
            f"at most {MAX_SIDE} are possible"
        )
        raise scene_invalid(side, message)
