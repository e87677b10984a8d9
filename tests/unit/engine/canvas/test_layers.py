"""Canvas layers: alt texts, uploads, fonts, lines and hidden layers."""

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.canvas import draw
from chalicelib.engine.canvas.text_layer import BUNDLED_FONTS, FONT_ALIASES
from layers.fonts import families
from tests.builders.pages.canvas import BOX, PICTURE, ParsedElements, draw_canvas


def test_pictures_have_alt_text_or_are_artifacts() -> None:
    image = {"type": "image", **BOX, "src": PICTURE}
    page = draw_canvas(
        image | {"alt": 'A "cat"'},
        image,
        image | {"alt": "x", "decorative": True},
        {"type": "qrcode", **BOX, "value": "A<B"},
        {"type": "text", **BOX, "text": "x", "decorative": True},
        {"type": "rect", **BOX, "alt": "A square"},
    )

    found = ParsedElements(page.html).elements
    assert [a["alt"] for tag, a in found if tag == "img"] == ['A "cat"', "", "", "A<B"]
    assert [a["class"] for _, a in found if a.get("aria-hidden") == "true"] == ["t clip"]
    assert [a["aria-label"] for _, a in found if a.get("role") == "img"] == ["A square"]


def test_uploads_are_embedded_by_detected_type() -> None:
    image = {"type": "image", **BOX}
    page = draw_canvas(*(image | {"src": f"upload:{name}"} for name in ("png", "svg")))

    assert 'src="data:image/png;base64,iVBORw0KGgo="' in page.html
    assert 'src="data:image/svg+xml;base64,' in page.html
    with pytest.raises(RenderFailure, match="upload is no PNG"):
        draw_canvas(image | {"src": "upload:exe"})
    with pytest.raises(RenderFailure, match="gone") as missing:
        draw_canvas(image | {"src": "upload:gone"})
    assert missing.value.code == "upload_not_found"


def test_missing_font_is_reported_once() -> None:
    text = {"type": "text", **BOX, "text": "x"}
    page = draw_canvas(
        text | {"font_family": "Papyrus, Tinos"},
        text | {"font_family": "comic sans ms"},
        text | {"font_family": "arial"},
        text | {"font_family": "Tinos, Nothing"},
    )

    (warning,) = page.warnings
    assert (warning.code, warning.detail) == ("font_fallback_used", "layers[0]")
    assert "Papyrus" in warning.message
    assert "font-family:&quot;Tinos&quot;,sans-serif" in page.html
    assert "Papyrus" not in page.html


def test_fonts_come_from_the_layer() -> None:
    generic = {
        "sans-serif",
        "serif",
        "monospace",
        "system-ui",
        "cursive",
        "fantasy",
        "emoji",
        "math",
    }

    assert (*families.TEXT_FAMILIES, *families.FALLBACK_FAMILIES) == BUNDLED_FONTS
    assert set(FONT_ALIASES) == set(families.ALIASES) - generic


def test_diagonal_line_is_rotated_around_its_middle() -> None:
    line = {"type": "line", "x": 10, "y": 20, "width": 30, "height": -40, "stroke_width": 2}
    page = draw_canvas(line)

    # The middle of the line is (25, 0), its length 50.
    assert "left:0px;top:-1px;width:50px;height:2px;transform:rotate(-53.1301deg)" in page.html


def test_hidden_layers_need_no_data() -> None:
    needy = {"type": "text", **BOX, "bind": "x", "required": True, "text": "SECRET"}
    group = {"type": "group", "bind": "shown", "layers": [needy]}

    page = draw_canvas(needy | {"visible": False}, group, data={"shown": False})
    assert "SECRET" not in page.html
    with pytest.raises(RenderFailure) as refused:
        draw_canvas(group, data={"shown": True})
    assert refused.value.code == "data_invalid"


def test_layers_without_content_draw_nothing() -> None:
    codes = [{"type": kind, **BOX, "bind": "absent"} for kind in ("qrcode", "barcode")]
    shown = [{"type": kind, **BOX, "bind": "absent"} for kind in ("image", "svg")]

    assert "<img" not in draw_canvas(*codes, *shown).html


def test_oversized_upload_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(draw, "_MAX_IMAGE_BYTES", 7)

    with pytest.raises(RenderFailure, match="more than 7 bytes"):
        draw_canvas({"type": "image", **BOX, "src": "upload:png"})
