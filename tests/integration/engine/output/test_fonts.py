"""Fonts of the printed text: the forms of a language's characters, and their own bold."""

import io
import re
from contextlib import closing

import pikepdf
import pypdfium2
import pytest

from chalicelib.engine.job import RenderOutcome
from tests.builders.pages.real_browser import Render, explain_of

HAN = "\u76f4\u9aa8"


@pytest.mark.parametrize(
    ("language", "text", "font"),
    [
        ("ja", HAN, "NotoSansJP"),
        ("ko", HAN, "NotoSansKR"),
        ("zh", HAN, "NotoSansSC"),
        ("zh-CN", HAN, "NotoSansSC"),
        ("zh-Hans", HAN, "NotoSansSC"),
        ("zh-TW", HAN, "NotoSansTC"),
        ("zh-HK", HAN, "NotoSansTC"),
        ("zh-Hant", HAN, "NotoSansTC"),
        ("bn", "\u09ac\u09be", "NotoSansBengali"),
        ("ar", "\u0645\u0631", "NotoSansArabic"),
    ],
)
def test_language_chooses_the_font_and_its_bold(
    render: Render, language: str, text: str, font: str
) -> None:
    html = f"<p lang={language} style='font-family:Arial'>{text}<b>{text}</b>"

    assert printed_fonts(render(html)) == {f"{font}-Regular", f"{font}-Bold"}


def test_emoji_in_a_font_with_black_ones_have_colours(render: Render) -> None:
    explain = explain_of(render("<p style='font-family:Verdana'>a\U0001f600</p>"))

    assert {"requested": "Verdana", "used": "Noto Color Emoji"} in explain["fonts"]


@pytest.mark.parametrize(
    ("name", "font"),
    [
        ("Arial", "Arimo-Regular"),
        ("arial bold", "Arimo-Bold"),
        ("Arial-BoldItalicMT", "Arimo-BoldItalic"),
        ("TimesNewRomanPSMT", "Tinos-Regular"),
        ("Helvetica-Oblique", "Arimo-Italic"),
        ("Verdana", "DejaVuSans"),
        ("Tahoma", "DejaVuSansCondensed"),
        ("Open Sans Bold", "OpenSans-Bold"),
    ],
)
def test_local_fonts_are_those_that_stand_in_for_them(render: Render, name: str, font: str) -> None:
    face = f"<style>@font-face {{ font-family: F; src: local('{name}') }}</style>"

    assert printed_fonts(render(f"{face}<p style='font-family:F,Gelasio'>a")) == {font}


@pytest.mark.parametrize("name", ["No Such Font", "sans-serif", "math", "Arial Black"])
def test_a_local_font_that_nothing_stands_in_for_is_passed_over(render: Render, name: str) -> None:
    face = f"<style>@font-face {{ font-family: F; src: local('{name}') }}</style>"

    assert printed_fonts(render(f"{face}<p style='font-family:F,Gelasio'>a")) == {"Gelasio-Regular"}


@pytest.mark.parametrize(
    "style",
    ["", "font-family: 'Latin Modern Math'", "font-family: Nothing, 'Cambria Math', serif"],
)
def test_brackets_and_roots_grow_with_what_they_hold(render: Render, style: str) -> None:
    fraction = "<mfrac><mfrac><mn>1</mn><mn>3</mn></mfrac><mn>2</mn></mfrac>"
    formula = f"<msqrt>{fraction}</msqrt><mo>=</mo><mrow><mo>(</mo>{fraction}<mo>)</mo></mrow>"

    outcome = render(f'<math style="{style}">{formula}</math>')

    assert printed_fonts(outcome) == {"NotoSansMath-Regular"}
    heights = glyph_heights(outcome)
    assert heights["("] > 2 * heights["2"]
    assert heights["\u221a"] > 2 * heights["2"]


def glyph_heights(outcome: RenderOutcome) -> dict[str, float]:
    """Return the height of each character's glyph on the first page; of equal ones the last."""
    (file,) = outcome.files
    with closing(pypdfium2.PdfDocument(file.content)) as document:
        text = document[0].get_textpage()
        heights = {}
        for index, character in enumerate(text.get_text_range()):
            _left, bottom, _right, top = text.get_charbox(index)
            heights[character] = top - bottom
    return heights


def printed_fonts(outcome: RenderOutcome) -> set[str]:
    """Return the names of the fonts of a PDF without the prefixes of their subsets."""
    (file,) = outcome.files
    with pikepdf.open(io.BytesIO(file.content)) as document:
        names = {
            str(each.BaseFont)
            for each in document.objects
            if isinstance(each, pikepdf.Dictionary)
            and each.get("/Type") == "/Font"
            and "/BaseFont" in each
        }
    return {re.sub(r"^/([A-Z]{6}\+)?", "", name) for name in names}
