"""Continuous pages: as long as their content, up to 5 m."""

import io
from typing import Any, Final

import pypdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import Render

MM: Final = 72 / 25.4
NO_MARGIN: Final = dict.fromkeys(("top", "right", "bottom", "left"), "0")
BODY: Final = "<!doctype html><style>body { margin: 0 } div { height: 500mm }</style>"
BOX: Final = f"{BODY}<div>begin</div><p style='margin: 0'>end"
AUTO: Final[dict[str, Any]] = {"width": "80mm", "height": "auto"}
# Its loading begins when the document is laid out for print.
PRINT_FONT: Final = (
    "<style>@font-face { font-family: own; src: url(data:font/woff2;base64,AAAA) }"
    " @media print { div { font-family: own, serif } }</style>"
)
FOOTER: Final = {"enabled": True, "left": "page {{ page }} of {{ pages }}"}


def only_page(outcome: RenderOutcome) -> tuple[float, float, str]:
    """Return width and height in millimetres, and the text of the one page."""
    (page,) = pypdf.PdfReader(io.BytesIO(outcome.files[0].content)).pages
    return page.mediabox.width / MM, page.mediabox.height / MM, page.extract_text()


@pytest.mark.parametrize(
    ("head", "pdf", "width", "margins"),
    [
        ("", {**AUTO, "margin": NO_MARGIN}, 80, 0),
        ("", AUTO, 80, 20),
        ("", {**AUTO, "landscape": True}, 80, 20),
        ("", {"page_size": "A5", "height": "auto"}, 148, 20),
        ("", {"page_size": "A5", "height": "auto", "landscape": True}, 210, 20),
        ("<style>@page { size: 58mm auto; margin: 3mm }</style>", {}, 58, 6),
        ("<style>@page { margin-top: 30mm; size: 2in auto }</style>", {}, 50.8, 40),
        ("<style>@page { margin: 5mm }</style>", AUTO, 80, 10),
        (
            "<style>@page { size: 58mm auto }</style>",
            {**AUTO, "prefer_css_page_size": False},
            *(80, 20),
        ),
        ("<script>document.title = 'x'</script>", AUTO, 80, 20),
        ("<script>1</script>" + PRINT_FONT, AUTO, 80, 20),
        ("<style>body { min-height: 100vh }</style>", AUTO, 80, 20),
        ("<style>p, div { break-before: page; page: x }</style>", AUTO, 80, 20),
        ("", {**AUTO, "footer": FOOTER, "tagged": False}, 80, 20),
    ],
)  # fmt: skip
def test_page_is_as_long_as_its_content(
    render: Render, head: str, pdf: dict[str, Any], width: float, margins: float
) -> None:
    across, down, text = only_page(render(BOX.replace("<div>", f"{head}<div>", 1), pdf=pdf))

    assert across == pytest.approx(width, abs=0.4)
    # A line of text is 4.9 mm high.
    assert down == pytest.approx(500 + 4.9 + margins, abs=1)
    assert text.startswith("begin")
    assert "end" in text
    assert ("page 1 of 1" in text) is ("footer" in pdf)


SHORT: Final = "<body style='margin: 0'><p style='margin: 0'>One line"


@pytest.mark.parametrize(
    ("page", "pdf", "size"),
    [
        ("size: 80mm auto; margin: 2mm", {}, (80, 9)),
        ("size: 62mm auto; margin: 0", {}, (62, 5)),
        ("size: 18mm auto; margin: 2mm", {}, (18, 14)),
        ("margin: 1mm", {"width": "15mm", "height": "30mm"}, (15, 30)),
        ("margin: 0", {"width": "30mm", "height": "15mm", "landscape": True}, (15, 30)),
    ],
)
def test_margins_of_the_document_win_where_those_of_the_request_leave_no_room(
    render: Render, page: str, pdf: dict[str, Any], size: tuple[float, float]
) -> None:
    across, down, text = only_page(render(f"<style>@page {{ {page} }}</style>{SHORT}", pdf=pdf))

    assert (across, down) == pytest.approx(size, abs=1)
    assert text.split() == ["One", "line"]


@pytest.mark.parametrize("pdf", [{"pdfa": "2b"}, {"last_footer": FOOTER}, {"scale": 0.5}])
def test_continuous_page_with_other_options(render: Render, pdf: dict[str, Any]) -> None:
    across, down, text = only_page(render(BOX, pdf=AUTO | pdf))

    assert across == pytest.approx(80, abs=0.4)
    assert down == pytest.approx(505 * pdf.get("scale", 1) + 20, abs=1)
    assert ("page 1 of 1" in text) is ("last_footer" in pdf)


@pytest.mark.parametrize(("media", "text"), [(None, "paper"), ("screen", "display")])
def test_continuous_page_is_printed_in_its_medium(
    render: Render, media: str | None, text: str
) -> None:
    html = (
        "<style>@media screen { p { display: none } } @media print { div { display: none } }"
        "</style><p>paper<div>display</div>"
    )

    assert only_page(render(html, media=media, pdf=AUTO))[2].strip() == text


def test_own_size_of_the_document_wins(render: Render) -> None:
    outcome = render(f"<style>@page {{ size: A5 }}</style>{BOX}", pdf=AUTO)

    assert outcome.files[0].pages == 3


@pytest.mark.parametrize(
    "html", [BOX, "<body style='height: 100vh; display: grid; place-items: center'>x"]
)
def test_picture_beside_a_continuous_page_is_as_alone(render: Render, html: str) -> None:
    alone = render(html, format="png").files
    printed, drawn = render(html, formats=["pdf", "png"], pdf=AUTO).files

    assert printed.pages == 1
    assert drawn.content == alone[0].content


@pytest.mark.parametrize(
    ("html", "code"),
    [
        (f"{BODY}<div></div><div style='height: 4600mm'></div>", "page_limit_exceeded"),
        (f"{BODY}<p>x<div style='height: 100vh'></div>", "render_failed"),
    ],
)  # fmt: skip
def test_page_without_end_is_refused(render: Render, html: str, code: str) -> None:
    with pytest.raises(RenderFailure) as failure:
        render(html, pdf=AUTO)

    assert failure.value.code == code
