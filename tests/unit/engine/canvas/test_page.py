"""Page of a scene: tenant values stay text, lengths, colours and fonts."""

from collections.abc import Mapping
from typing import Any

import pytest

from chalicelib.contract.template.layer_constraints import MAX_DEPTH
from chalicelib.contract.template.scene import check_scene
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.canvas.page import CanvasPage
from tests.builders.pages.canvas import BOX, PICTURE, ParsedElements, draw_canvas

HOSTILE = (
    "</p></div><script>alert(1)</script>",
    '"\' onload=alert(1) x="',
    "red;}</style><img src=x onerror=alert(1)>",
    "url(https://evil.test/)",
    "<!--",
    "&lt;script&gt;",
    "\x00\ud800\u202e",
    "expression(alert(1))",
)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_tenant_text_cannot_become_markup_or_style(hostile: str) -> None:
    """Unchecked scenes are safe too: every field of every layer type is tested."""
    usual = ParsedElements(every_kind({}).html)
    for kind, fields in KINDS.items():
        for field in {*fields, *EVERY} - {"layers"}:
            try:
                page = every_kind({(kind, field): hostile})
            except (RenderFailure, TypeError, KeyError, ValueError):
                continue
            seen = ParsedElements(page.html)
            assert {tag for tag, _ in seen.elements} <= {tag for tag, _ in usual.elements}
            names = {name for _, attributes in seen.elements for name in attributes}
            assert names <= ALLOWED
            styles = [attributes.get("style") or "" for _, attributes in seen.elements]
            assert not any(hostile.strip() in style for style in styles)


EVERY = ("alt", "id", "bind", "fallback", "rotation", "x", "y", "opacity")
KINDS: dict[str, dict[str, Any]] = {
    "text": {
        **BOX,
        "text": "x",
        "font_family": "Arimo",
        "font_size": 16,
        "font_weight": 400,
        "font_style": "normal",
        "color": "red",
        "align": "left",
        "vertical_align": "top",
        "line_height": 1.2,
        "letter_spacing": 0,
        "overflow": "ellipsis",
    },
    "image": {**BOX, "src": PICTURE, "fit": "cover"},
    "rect": {**BOX, "fill": "red", "stroke": "blue", "stroke_width": 1, "radius": 2},
    "ellipse": {**BOX, "fill": "red", "stroke": "blue", "stroke_width": 1},
    "line": {**BOX, "stroke": "red", "stroke_width": 1},
    "qrcode": {
        **BOX,
        "value": "x",
        "color": "red",
        "background": "white",
        "error_correction": "M",
    },
    "barcode": {**BOX, "value": "x", "symbology": "code128", "color": "red", "show_text": True},
    "svg": {**BOX, "svg": "<svg/>"},
    "group": {**BOX, "layers": []},
}
ALLOWED = {
    "alt",
    "aria-hidden",
    "aria-label",
    "charset",
    "class",
    "content",
    "data-fit",
    "data-layer",
    "http-equiv",
    "role",
    "src",
    "style",
}


def every_kind(changed: Mapping[tuple[str, str], Any]) -> CanvasPage:
    layers = []
    for kind, fields in KINDS.items():
        own = {field: value for (of, field), value in changed.items() if of == kind}
        layers.append({"type": kind, **fields, **own})
    return draw_canvas(*layers)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_is_shown_verbatim(hostile: str) -> None:
    page = draw_canvas({"type": "text", **BOX, "bind": "t"}, data={"t": hostile})

    shown = "".join(ParsedElements(page.html).texts)
    assert hostile.replace("\ud800", "\ufffd") in shown
    page.html.encode()


def test_page_can_load_nothing_but_pictures() -> None:
    (policy,) = (
        attributes["content"]
        for tag, attributes in ParsedElements(draw_canvas().html).elements
        if tag == "meta" and "http-equiv" in attributes
    )

    assert policy == "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'"
    assert not draw_canvas(output={"javascript": True}).output.javascript


def test_output_has_the_scenes_size() -> None:
    wanted = {
        "formats": ["pdf", "png"],
        "pdf": {"landscape": True, "header": {"enabled": True, "left": "x"}},
        "image": {"width": 5, "full_page": True, "clip_selector": "p", "scale": 2},
    }
    page = draw_canvas(output=wanted)

    window = page.output.layout_viewport()
    assert window is not None
    assert (window.width, window.height, window.device_scale_factor) == (300, 200, 2)
    assert page.output.pdf.paper_size == pytest.approx((300 / 96, 200 / 96))
    assert page.output.pdf.margin.inches.top == 0
    assert not page.output.pdf.landscape
    ignored = {warning.detail for warning in page.warnings}
    assert {warning.code for warning in page.warnings} == {"feature_unavailable"}
    assert ignored == {
        "output.pdf.header",
        "output.image.full_page",
        "output.image.clip_selector",
        "output.image.width",
    }


def test_picture_has_at_most_16384_pixels_a_side() -> None:
    with pytest.raises(RenderFailure, match="16400 pixels") as refused:
        draw_canvas(width=8200, output={"image": {"scale": 2}})

    assert refused.value.code == "scene_invalid"
    assert draw_canvas(width=8200, output={"format": "pdf", "image": {"scale": 2}}).html


def test_empty_scene_cannot_be_drawn() -> None:
    with pytest.raises(RenderFailure, match="width: must be a whole number") as refused:
        draw_canvas(width=None)

    assert refused.value.code == "scene_invalid"


def test_page_size_is_bounded() -> None:
    text = {"type": "text", **BOX, "bind": "t"}

    with pytest.raises(RenderFailure, match="characters") as refused:
        draw_canvas(*[text] * 600, data={"t": "x" * 100_000})
    assert refused.value.code == "scene_invalid"


def test_drawing_ends_at_the_jobs_deadline() -> None:
    with pytest.raises(RenderFailure) as late:
        draw_canvas({"type": "qrcode", **BOX, "value": "x"}, seconds=0)
    assert late.value.code == "render_timeout"


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        ({"type": "rect", **BOX, "x": float("inf")}, "no finite number"),
        ({"type": "rect", **BOX, "fill": "red;x:y"}, "no CSS color"),
        ({"type": "text", **BOX, "align": "x;y:z"}, "no alignment"),
        ({"type": "rect"}, "width: is required"),
        ({"type": "script"}, "type must be one of"),
        ({"type": "rect", **BOX, "fill": 5}, "no CSS color"),
        ({"type": "group", "layers": {"a": 1}}, "must be an array"),
        ({"type": "group", "layers": [5]}, "must be an object"),
    ],
)
def test_unchecked_scene_is_refused(layer: Mapping[str, Any], message: str) -> None:
    nested = layer
    for _ in range(20):
        nested = {"type": "group", "layers": [nested]}

    for shown, why in ((layer, message), (nested, "not stand in more than 20 levels")):
        with pytest.raises(RenderFailure, match=why) as refused:
            draw_canvas(shown)
        assert refused.value.code == "scene_invalid"
        assert "layers[0]" in refused.value.detail


def test_layer_is_allowed_at_the_deepest_level() -> None:
    nested: Mapping[str, Any] = {"type": "text", **BOX, "text": "deep"}
    for _ in range(MAX_DEPTH - 1):
        nested = {"type": "group", "layers": [nested]}

    check_scene({"width": 9, "height": 9, "layers": [nested]})

    assert "deep" in draw_canvas(nested).html
