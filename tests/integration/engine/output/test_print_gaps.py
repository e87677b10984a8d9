"""Print gaps: what paper has otherwise than the document means is told by its place."""

from typing import Any, Final

import pypdfium2
import pytest

from chalicelib.engine.browser.output.print_gaps import MAX_GAPS
from tests.builders.pages.real_browser import Render

ROWS: Final = "<tr><td>row" * 90
TALL: Final = f"<table><thead><tr><th style='height: 300px'>Head<tbody>{ROWS}</table>"
LINES: Final = "<p>line</p>" * 100
FIXED: Final = "header { position: fixed; top: 0; left: 0; right: 0; height: 80px; "
SCRIPT: Final = "<script>let idle</script>"


def told(render: Render, html: str, **output: Any) -> list[tuple[str, str | None]]:
    return [(each.code, each.detail) for each in render(html, **output).trace.warnings]


@pytest.mark.parametrize("script", ["", SCRIPT])
@pytest.mark.parametrize(
    ("html", "place"),
    [
        (TALL, "table > thead"),
        (TALL.replace("<table>", "<p>x</p><table id=t>"), "table#t > thead"),
        (
            f"<style>th {{ padding: 130px 0 }}</style><table><thead><tr><th>x<tbody>{ROWS}</table>",
            "table > thead",
        ),
        (f"<table><thead>{'<tr><th>Head</tr>' * 14}</thead><tbody>{ROWS}</table>", "table > thead"),
    ],
)
def test_head_that_is_too_tall_to_be_repeated_is_told(
    render: Render, html: str, place: str, script: str
) -> None:
    assert told(render, script + html) == [("feature_unavailable", place)]


@pytest.mark.parametrize(
    "html",
    [
        TALL.replace("300px", "200px"),
        f"<table><thead><tr><th style='height: 300px'>Head<tbody>{'<tr><td>row' * 5}</table>",
        f"<table><tbody><tr><th style='height: 300px'>Head{ROWS}</table>",
        f"<style>thead {{ display: table-row-group }}</style>{TALL}",
    ],
)
def test_other_heads_are_not_told(render: Render, html: str) -> None:
    assert told(render, html) == []


@pytest.mark.parametrize("script", ["", SCRIPT])
@pytest.mark.parametrize(
    "rule",
    ["background: #fc9 }", "background: rgba(0, 0, 0, .8) }", "border: 0; background: #fff }"],
)
def test_fixed_box_over_text_of_later_pages_is_told(render: Render, rule: str, script: str) -> None:
    html = f"<style>{FIXED}{rule} main {{ padding-top: 90px }}</style>"

    found = told(render, f"{html}{script}<header>Head</header><main>{LINES}</main>")

    assert found == [("content_clipped", "body > header")]


def test_pages_with_links_count(render: Render) -> None:
    link = "<a href='https://a.example/'>link</a>"
    style = f"<style>{FIXED} background: #fc9 }} main {{ padding-top: 90px }}</style>"
    whole = f"{style}<header>Head</header><main>{link}{LINES}{link}{LINES}{link}</main>"

    assert told(render, whole) == [("content_clipped", "body > header")]
    assert told(render, f"{style}{link}<p style='break-before: page'>{link}") == []


def test_fixed_box_above_the_page_covers_text_at_its_end(render: Render) -> None:
    style = f"<style>@page {{ margin-top: 40mm }} {FIXED} top: -35mm; background: #fc9 }}</style>"

    found = told(render, f"{style}<header>Head</header>{LINES}")

    assert found == [("content_clipped", "body > header")]


@pytest.mark.parametrize(
    "html",
    [
        # Room for it on each page.
        (
            f"<style>{FIXED} background: #fc9 }} thead td {{ height: 90px }}</style>"
            f"<header>Head</header><table><thead><tr><td><tbody><tr><td>{LINES}</table>"
        ),
        # Below the text, or to be seen through.
        f"<style>{FIXED} background: #fc9; z-index: -1 }}</style><header>Head</header>{LINES}",
        f"<style>{FIXED} background: rgba(0, 0, 0, .2) }}</style><header>Head</header>{LINES}",
        f"<style>{FIXED} background: #fc9 }}</style><header>Head</header><p>One page",
        f"<style>table {{ table-layout: fixed }}</style>{LINES}",
    ],
)
def test_fixed_box_that_covers_nothing_is_not_told(render: Render, html: str) -> None:
    assert told(render, html) == []


@pytest.mark.parametrize(
    ("style", "name"),
    [
        ("backdrop-filter: blur(4px)", "backdrop-filter"),
        ("mix-blend-mode: multiply", "mix-blend-mode: multiply"),
        ("mix-blend-mode: plus-lighter", "plus-lighter"),
    ],
)
def test_properties_that_print_drops_are_told(render: Render, style: str, name: str) -> None:
    warnings = render(f"<p>x</p><p style='{style}'>glass").trace.warnings

    assert [(each.code, each.detail) for each in warnings] == [
        ("feature_unavailable", "body > p:nth-of-type(2)")
    ]
    assert name in warnings[0].message


def test_browser_still_drops_blending(render: Render) -> None:
    box = "position: absolute; left: 0; top: 0; width: 90px; height: 90px"
    html = (
        f"<div style='{box}; background: #f00'></div>"
        f"<div style='{box}; background: #0ff; mix-blend-mode: multiply'></div>"
    )

    (file,) = render(html, pdf={"margin": {"top": "0", "left": "0"}}).files

    picture = pypdfium2.PdfDocument(file.content)[0].render().to_pil().convert("RGB")
    # Black, once the blending is printed: then its warning has to go.
    assert picture.getpixel((30, 30)) == (0, 255, 255)


def test_pictures_have_what_print_drops(render: Render) -> None:
    assert told(render, "<p style='backdrop-filter: blur(4px)'>x", format="png") == []


@pytest.mark.parametrize(
    ("style", "pdf", "is_told"),
    [
        ("@page { size: A4 }", {"landscape": True}, True),
        ("@page { size: 100mm 200mm }", {"landscape": True}, True),
        ("@page { size: A4 landscape }", {"landscape": True}, False),
        ("@page { margin: 0 }", {"landscape": True}, False),
        ("@page { size: A4 }", {"landscape": True, "prefer_css_page_size": False}, False),
        ("@page { size: A4 }", {}, False),
        ("", {"landscape": True, "width": "200mm", "height": "100mm"}, False),
    ],
)
def test_landscape_that_a_sheet_overrules_is_told(
    render: Render,
    style: str,
    pdf: dict[str, Any],
    is_told: bool,  # noqa: FBT001
) -> None:
    expected = [("feature_unavailable", "output.pdf.landscape")] if is_told else []

    assert told(render, f"<style>{style}</style><p>x", pdf=pdf) == expected


def test_thousands_of_gaps_are_bounded(render: Render) -> None:
    boxes = "".join(
        f"<p style='backdrop-filter: blur(1px); position: fixed; top: {number % 900}px; left: 0; "
        f"width: 90px; height: 20px; background: #{number % 10}cc'>x</p>"
        for number in range(3_000)
    )

    warnings = render(f"{boxes}{LINES}").trace.warnings

    assert 0 < sum(each.code == "feature_unavailable" for each in warnings) <= MAX_GAPS
    assert sum(each.code == "content_clipped" for each in warnings) <= MAX_GAPS
