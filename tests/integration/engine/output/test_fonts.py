"""Fonts of the printed text: the forms of a language's characters, and their own bold."""

import io
import re

import pikepdf
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
