"""The page of a scene: what a tenant writes stays text, and lengths, colours and fonts theirs."""

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any, override

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.canvas.fonts import ALIASES, BUNDLED
from chalicelib.engine.canvas.page import CanvasPage, page_of
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.options.output import Output
from layers.fonts import build
from tests.builders.engine import no_uploads

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
BOX = {"width": 10, "height": 10}
PICTURE = "data:image/gif;base64,R0lGODlhAQABAAAAACw="


def drawn(
    *layers: Mapping[str, Any],
    data: Mapping[str, Any] | None = None,
    output: Mapping[str, Any] | None = None,
    seconds: float = 20,
    **scene: Any,
) -> CanvasPage:
    return page_of(
        {"width": 300, "height": 200, "layers": layers, **scene},
        data or {},
        Output.from_json({"format": "png"} | dict(output or {})),
        run=lambda source: source,
        uploads=lambda name: (
            {"png": b"\x89PNG\r\n\x1a\n", "svg": b" <svg/>"}.get(name)
            or (b"MZ" if name == "exe" else no_uploads(name))
        ),
        deadline=Deadline.after(seconds),
    )


class Elements(HTMLParser):
    """What a browser would find; attributes by element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(html)

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    @override
    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_nothing_of_a_tenant_becomes_markup_or_style(hostile: str) -> None:
    """Also where a scene was never checked: every field of every kind is tried."""
    usual = Elements(every_kind({}).html)
    for kind, fields in KINDS.items():
        for field in {*fields, *EVERY} - {"layers"}:
            try:
                page = every_kind({(kind, field): hostile})
            except (RenderFailure, TypeError, KeyError, ValueError):
                continue
            seen = Elements(page.html)
            assert {tag for tag, _ in seen.found} <= {tag for tag, _ in usual.found}
            names = {name for _, attributes in seen.found for name in attributes}
            assert names <= ALLOWED
            styles = [attributes.get("style") or "" for _, attributes in seen.found]
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
    return drawn(*layers)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_text_is_shown_as_it_is_written(hostile: str) -> None:
    page = drawn({"type": "text", **BOX, "bind": "t"}, data={"t": hostile})

    shown = "".join(Elements(page.html).texts)
    assert hostile.replace("\ud800", "\ufffd") in shown
    page.html.encode()


def test_page_can_load_nothing_but_pictures() -> None:
    (policy,) = (
        attributes["content"]
        for tag, attributes in Elements(drawn().html).found
        if tag == "meta" and "http-equiv" in attributes
    )

    assert policy == "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'"
    assert not drawn(output={"javascript": True}).output.javascript


def test_output_has_the_scenes_size() -> None:
    wanted = {
        "formats": ["pdf", "png"],
        "pdf": {"landscape": True, "header": {"enabled": True, "left": "x"}},
        "image": {"width": 5, "full_page": True, "clip_selector": "p", "scale": 2},
    }
    page = drawn(output=wanted)

    window = page.output.window()
    assert window is not None
    assert (window.width, window.height, window.device_scale_factor) == (300, 200, 2)
    assert (page.output.pdf.width, page.output.pdf.height) == (300 / 96, 200 / 96)
    assert page.output.pdf.margin.top == 0
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
        drawn(width=8200, output={"image": {"scale": 2}})

    assert refused.value.code == "scene_invalid"
    assert drawn(width=8200, output={"format": "pdf", "image": {"scale": 2}}).html


def test_empty_scene_cannot_be_drawn() -> None:
    with pytest.raises(RenderFailure, match="width: must be a whole number") as refused:
        drawn(width=None)

    assert refused.value.code == "scene_invalid"


def test_pictures_have_words_or_are_artifacts() -> None:
    image = {"type": "image", **BOX, "src": PICTURE}
    page = drawn(
        image | {"alt": 'A "cat"'},
        image,
        image | {"alt": "x", "decorative": True},
        {"type": "qrcode", **BOX, "value": "A<B"},
        {"type": "text", **BOX, "text": "x", "decorative": True},
        {"type": "rect", **BOX, "alt": "A square"},
    )

    found = Elements(page.html).found
    assert [a["alt"] for tag, a in found if tag == "img"] == ['A "cat"', "", "", "A<B"]
    assert [a["class"] for _, a in found if a.get("aria-hidden") == "true"] == ["t clip"]
    assert [a["aria-label"] for _, a in found if a.get("role") == "img"] == ["A square"]


def test_uploads_are_put_in_by_what_they_are() -> None:
    image = {"type": "image", **BOX}
    page = drawn(*(image | {"src": f"upload:{name}"} for name in ("png", "svg")))

    assert 'src="data:image/png;base64,iVBORw0KGgo="' in page.html
    assert 'src="data:image/svg+xml;base64,' in page.html
    with pytest.raises(RenderFailure, match="upload is no PNG"):
        drawn(image | {"src": "upload:exe"})
    with pytest.raises(RenderFailure, match="gone") as missing:
        drawn(image | {"src": "upload:gone"})
    assert missing.value.code == "upload_not_found"


def test_font_that_is_not_there_is_told_once() -> None:
    text = {"type": "text", **BOX, "text": "x"}
    page = drawn(
        text | {"font_family": "Comic Sans MS, Tinos"},
        text | {"font_family": "comic sans ms"},
        text | {"font_family": "arial"},
        text | {"font_family": "Tinos, Nothing"},
    )

    (warning,) = page.warnings
    assert (warning.code, warning.detail) == ("font_fallback_used", "layers[0]")
    assert "Comic Sans MS" in warning.message
    assert "font-family:&quot;Tinos&quot;,sans-serif" in page.html
    assert "Comic" not in page.html


def test_fonts_are_those_of_the_layer() -> None:
    packages = {name.replace("-", " ") for name, *_ in build._FONTS}
    generic = {"sans-serif", "serif", "monospace", "system-ui", "emoji"}

    assert {name.lower() for name in BUNDLED} == packages
    assert set(ALIASES) == set(build._ALIASES) - generic


def test_lines_end_where_they_should() -> None:
    line = {"type": "line", "x": 10, "y": 20, "width": 30, "height": -40, "stroke_width": 2}
    page = drawn(line)

    # Its middle is (25, 0), its length 50.
    assert "left:0px;top:-1px;width:50px;height:2px;transform:rotate(-53.1301deg)" in page.html


def test_hidden_layers_need_nothing() -> None:
    needy = {"type": "text", **BOX, "bind": "x", "required": True, "text": "SECRET"}
    group = {"type": "group", "bind": "shown", "layers": [needy]}

    page = drawn(needy | {"visible": False}, group, data={"shown": False})
    assert "SECRET" not in page.html
    with pytest.raises(RenderFailure) as refused:
        drawn(group, data={"shown": True})
    assert refused.value.code == "data_invalid"


def test_page_does_not_grow_without_end() -> None:
    text = {"type": "text", **BOX, "bind": "t"}

    with pytest.raises(RenderFailure, match="characters") as refused:
        drawn(*[text] * 600, data={"t": "x" * 100_000})
    assert refused.value.code == "scene_invalid"


def test_drawing_ends_with_the_jobs_time() -> None:
    with pytest.raises(RenderFailure) as late:
        drawn({"type": "qrcode", **BOX, "value": "x"}, seconds=0)
    assert late.value.code == "render_timeout"
