"""The explain report of a page, also of a failed one: requested and used fonts."""

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.script_fonts import FAMILIES_OF_SCRIPTS
from chalicelib.engine.browser.tab import warm_up
from infra.bench.bare_browser import BareBrowser
from tests.builders.pages.real_browser import Render, explain_of

FONT = b64encode(Path(warm_up.__file__).with_suffix(".woff2").read_bytes()).decode()
HTML = (
    f"<style>@font-face{{font-family:'Own Face';src:url(data:font/woff2;base64,{FONT})}}"
    "p{font-family:'Own Face',serif} code{font-family:Courier New}</style>"
    "<p>Text<p><code>code</code><b style='font-family:Nowhere To Be Had, Helvetica'>bold</b>"
)
FAMILIES: Final = (
    "sans-serif",
    "serif",
    "monospace",
    "system-ui",
    "cursive",
    "emoji",
    "ARIAL",
    "Calibri",
    "'Noto Serif'",
    '"Noto Sans JP", serif',
    "Nowhere, monospace",
    "Verdana",
    "'Segoe UI', Tahoma",
    "fantasy",
    "inherit",
)
TEXTS: Final = {
    "Latin": "Hello",
    "Arabic": "\u0645\u0631\u062d\u0628\u0627",
    "Hebrew": "\u05e9\u05dc\u05d5\u05dd",
    "Thai": "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35",
    "Devanagari": "\u0928\u092e\u0938\u094d\u0924\u0947",
    "Hangul": "\uc548\ub155",
    "Hiragana": "\u3072\u3089",
    "Katakana": "\u30ab\u30bf",
    "Han": "\u6f22\u5b57",
    "Bengali": "\u09ac\u09be\u0982\u09b2\u09be",
    "Tamil": "\u0ba4\u0bae\u0bbf\u0bb4\u0bcd",
    "Telugu": "\u0c24\u0c46\u0c32\u0c41\u0c17\u0c41",
    "Gujarati": "\u0a97\u0ac1\u0a9c\u0ab0\u0abe\u0aa4\u0ac0",
    "Kannada": "\u0c95\u0ca8\u0ccd\u0ca8\u0ca1",
    "Malayalam": "\u0d2e\u0d32\u0d2f\u0d3e\u0d33\u0d02",
    "Gurmukhi": "\u0a2a\u0a70\u0a1c\u0a3e\u0a2c\u0a40",
    "Oriya": "\u0b13\u0b21\u0b3c\u0b3f\u0b06",
    "Sinhala": "\u0dc3\u0dd2\u0d82\u0dc4\u0dbd",
    "Khmer": "\u1781\u17d2\u1798\u17c2\u179a",
    "Lao": "\u0ea5\u0eb2\u0ea7",
    "Myanmar": "\u1019\u103c\u1014\u103a\u1019\u102c",
    "Tibetan": "\u0f56\u0f7c\u0f51",
    "Armenian": "\u0540\u0561\u0575",
    "Georgian": "\u10e5\u10d0\u10e0",
    "Ethiopic": "\u12a0\u121b\u122d",
    "Thaana": "\u078b\u07a8\u0788",
    "N'Ko": "\u07d2\u07de\u07cf",
    "Tifinagh": "\u2d63\u2d49\u2d3c",
    "Syriac": "\u0723\u0718\u072a",
    "Yi": "\ua188\ua320",
    "Mongolian": "\u182e\u1823\u1829",
    "Ol Chiki": "\u1c65\u1c5f\u1c71",
    "Meetei Mayek": "\uabc3\uabe4\uabc7",
    "Adlam": "\U0001e900\U0001e923",
    "Javanese": "\ua9a7\ua9ae",
    "Balinese": "\u1b29\u1b2e",
    "Rohingya": "\U00010d00\U00010d01",
    "Greek": "\u0395\u03bb",
    "Cyrillic": "\u0420\u0443",
    "arrow": "\u2192",
    "number in a circle": "\u2460",
    "picture": "\U0001f600",
    "check mark": "\u2705",
}


def test_fonts_are_listed_as_requested_and_used(render: Render) -> None:
    explain = explain_of(render(HTML))

    pairs = {(font["requested"], font["used"]) for font in explain["fonts"]}
    assert pairs == {
        ("Own Face", "Own Face"),
        ("Courier New", "Cousine"),
        ("Nowhere To Be Had", "Arimo"),
    }
    assert explain["requests"] == 0
    assert explain["bytes"] == {"html": len(HTML.encode())}


def test_element_names_that_shadow_dom_properties_do_not_hide_fonts(render: Render) -> None:
    names = (
        "fonts images readyState documentElement createTreeWalker querySelector styleSheets "
        "createElement"
    )
    named = "".join(f"<img name={name}>" for name in names.split())
    html = f"<html id=lang><form><input name=tagName><input name=lang></form>{named}{HTML}"
    output: dict[str, Any] = {
        "wait": {"selector": "code"},
        "pdf": {"header": {"enabled": True, "left": "Head"}},
    }

    explain = explain_of(render(html, **output))

    assert {"requested": "Own Face", "used": "Own Face"} in explain["fonts"]
    assert explain["wait"] == "selector"


def test_very_long_font_family_is_listed_quickly(render: Render) -> None:
    html = f"<p style=\"font-family: {'a ' * 500_000}\">Text<p style='font-family:serif'>x"

    fonts = explain_of(render(html, seconds=60))["fonts"]

    assert all(len(font["requested"]) <= 500 for font in fonts)
    # A backtracking pattern took hours for half a million characters.
    assert len(fonts) == 2


@pytest.fixture(scope="module")
def bare() -> Iterator[BareBrowser]:
    with BareBrowser() as browser:
        yield browser


@pytest.mark.parametrize("language", ["en", "ja", "zh-Hant", "ar"])
def test_used_fonts_agree_with_devtools(render: Render, bare: BareBrowser, language: str) -> None:
    pages = {family: [_paragraph(family, text) for text in TEXTS.values()] for family in FAMILIES}
    expected = _drawn_with(bare, language, pages)

    for family, parts in pages.items():
        html = f"<html lang={language}>{''.join(parts)}"
        fonts = explain_of(render(html, format="html"))["fonts"]
        assert {font["used"] for font in fonts} == expected[family], family


def _paragraph(family: str, text: str) -> str:
    return f'<p style="font-family:{family.replace('"', "'")}">{text}</p>'


def _drawn_with(
    browser: BareBrowser, language: str, pages: Mapping[str, Sequence[str]]
) -> dict[str, set[str]]:
    """Return the fonts of each family's paragraphs, as CSS.getPlatformFontsForNode tells them."""
    session = browser.page()
    browser.call("Page.setFontFamilies", session, fontFamilies={}, forScripts=FAMILIES_OF_SCRIPTS)
    whole = "".join(part for parts in pages.values() for part in parts)
    browser.load(session, f"<html lang={language}><body>{whole}")
    for domain in ("DOM", "CSS"):
        browser.call(f"{domain}.enable", session)
    root = browser.call("DOM.getDocument", session, depth=-1)["root"]
    nodes = iter(_paragraphs(root))
    return {
        family: {_font_of(browser, session, node) for _, node in zip(parts, nodes, strict=False)}
        for family, parts in pages.items()
    }


def _font_of(browser: BareBrowser, session: str, node: int) -> str:
    found = browser.call("CSS.getPlatformFontsForNode", session, nodeId=node)["fonts"]
    return str(found[0]["familyName"])


def _paragraphs(node: dict[str, Any]) -> list[int]:
    own = [node["nodeId"]] if node["nodeName"] == "P" else []
    return own + [found for child in node.get("children", ()) for found in _paragraphs(child)]


def test_failure_has_the_explain_report_so_far(render: Render) -> None:
    with pytest.raises(RenderFailure) as failure:
        render(HTML, wait={"selector": "#never", "timeout_ms": 4_000})

    explain = failure.value.members["trace"].explain
    assert explain["wait"] == "selector"
    assert explain["bytes"]["html"] == len(HTML.encode())
    assert "selector" in failure.value.detail


def test_page_without_text_or_without_scripts_is_explained(render: Render) -> None:
    empty = explain_of(render(""))
    off = explain_of(render(HTML, javascript=False))

    assert empty["fonts"] == []
    assert len(off["fonts"]) == 3


def test_missing_glyphs_are_named_with_their_font_and_text(render: Render) -> None:
    html = (
        "<p style='font-family:Courier New'>Hieroglyph \U00013000 of a man"
        "<p style='font-family:Arial'>Private \ue000, joined \u200d\ufe0f\u00ad, \u20ac, \u4e2d"
    )

    outcome = render(html)

    warnings = [each for each in outcome.trace.warnings if each.code == "glyph_missing"]
    assert [(each.detail, "boxes" in each.message) for each in warnings] == [
        ("Private \ue000, joined \u200d\ufe0f\u00ad, \u20ac, \u4e2d", True),
        ("Hieroglyph \U00013000 of a man", True),
    ]
    assert "Courier New" in warnings[1].message
    assert "U+13000" in warnings[1].message
    assert explain_of(outcome)["missing_glyphs"] == [
        {"requested": "Arial", "characters": "\ue000"},
        {"requested": "Courier New", "characters": "\U00013000"},
    ]


def test_warnings_of_missing_glyphs_are_bounded(render: Render) -> None:
    html = "".join(f"<p style='font-family:Own{number}'>\ue000" for number in range(30))

    outcome = render(html)

    codes = [each.code for each in outcome.trace.warnings]
    assert codes == ["glyph_missing"] * 20


def test_missing_glyphs_of_many_families_are_bounded_together(render: Render) -> None:
    letters = "".join(map(chr, range(0xE000, 0xE000 + 3_000)))
    html = "".join(f"<p style='font-family:Own{number}'>{letters}" for number in range(3))

    missing = explain_of(render(html))["missing_glyphs"]

    assert [each["requested"] for each in missing] == ["Own0", "Own1"]


def test_web_font_may_have_any_character(render: Render) -> None:
    html = f"{HTML}<p>\ue000</p>"

    assert not render(html).trace.warnings


def test_scripts_of_a_long_document_are_all_listed(render: Render) -> None:
    rows = "<p class=row>Row" * 2000
    html = (
        f"<style>.row{{font-family:Arial}} .late{{font-family:Georgia}}</style>{rows}"
        f"<p class=row>{TEXTS['Tamil']}{rows}<p class=late>Late<p class=row>{TEXTS['Khmer']}"
    )

    fonts = explain_of(render(html))["fonts"]

    assert fonts == [
        {"requested": "Arial", "used": "Arimo"},
        {"requested": "Arial", "used": "Noto Sans Khmer"},
        {"requested": "Arial", "used": "Noto Sans Tamil"},
        {"requested": "Georgia", "used": "Gelasio"},
    ]
