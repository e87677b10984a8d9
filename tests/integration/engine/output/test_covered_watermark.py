"""Watermarks below pages: told where backgrounds of the document hide them."""

from typing import Any, Final

import pytest

from tests.builders.pages.real_browser import Render

UNDER: Final = {"text": "DRAFT", "layer": "under"}
SECTION: Final = "<section style='height: 900px; background: #fff'>Text</section>"


def places(render: Render, html: str, watermark: dict[str, Any], **pdf: Any) -> list[str | None]:
    warnings = render(html, pdf={"watermark": watermark, **pdf}).trace.warnings
    assert {each.code for each in warnings} <= {"content_clipped"}
    return [each.detail for each in warnings]


@pytest.mark.parametrize(
    "html",
    [
        SECTION,
        f"<style>body {{ background: #eee }}</style>{SECTION}",
        "<div style='height: 320px; background: red'></div>" * 3,
        f"<p style='break-after: page'>x{SECTION}",
    ],
)
def test_watermark_below_opaque_sections_is_told(render: Render, html: str) -> None:
    assert places(render, html, UNDER) == ["output.pdf.watermark.layer"]


@pytest.mark.parametrize(
    ("html", "watermark"),
    [
        ("<p>Text", UNDER),
        (SECTION, {**UNDER, "layer": "over"}),
        (SECTION.replace("#fff", "rgba(255, 255, 255, 0.5)"), UNDER),
        ("<div style='height: 200px; background: red'></div>", UNDER),
        (SECTION, {**UNDER, "position": "bottom-right", "font_size": "20pt", "angle": 0}),
    ],
)
def test_watermark_that_can_be_seen_is_not_told(
    render: Render, html: str, watermark: dict[str, Any]
) -> None:
    assert places(render, html, watermark) == []


def test_message_names_the_page(render: Render) -> None:
    html = f"<p style='break-after: page'>x{SECTION}"

    (warning,) = render(html, pdf={"watermark": UNDER}).trace.warnings

    assert "on page 2" in warning.message
