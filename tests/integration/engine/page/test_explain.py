"""The explain report of a page, also of a failed one: requested and used fonts."""

from base64 import b64encode
from pathlib import Path
from typing import Any, Final

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool import warm_up
from infra.bench.bare_browser import BareBrowser
from tests.integration.engine.conftest import Render, explain_of

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


@pytest.mark.parametrize("language", ["en", "zh", "ko"])
def test_used_fonts_agree_with_devtools(render: Render, language: str) -> None:
    pages = {family: [_paragraph(family, text) for text in TEXTS.values()] for family in FAMILIES}
    with BareBrowser() as browser:
        expected = {
            family: _drawn_with(browser, language, parts) for family, parts in pages.items()
        }

    for family, parts in pages.items():
        html = f"<html lang={language}>{''.join(parts)}"
        fonts = explain_of(render(html, format="html"))["fonts"]
        assert {font["used"] for font in fonts} == expected[family], family


def _paragraph(family: str, text: str) -> str:
    return f'<p style="font-family:{family.replace('"', "'")}">{text}</p>'


def _drawn_with(browser: BareBrowser, language: str, parts: list[str]) -> set[str]:
    """Return the fonts of the paragraphs according to DevTools (CSS.getPlatformFontsForNode)."""
    session = browser.page()
    browser.print_document(session, f"<html lang={language}><body>{''.join(parts)}", {})
    for domain in ("DOM", "CSS"):
        browser.call(f"{domain}.enable", session)
    root = browser.call("DOM.getDocument", session, depth=-1)["root"]
    return {
        browser.call("CSS.getPlatformFontsForNode", session, nodeId=node)["fonts"][0]["familyName"]
        for node in _paragraphs(root)
    }


def _paragraphs(node: dict[str, Any]) -> list[int]:
    own = [node["nodeId"]] if node["nodeName"] == "P" else []
    return own + [found for child in node.get("children", ()) for found in _paragraphs(child)]


def test_failure_has_the_explain_report_so_far(render: Render) -> None:
    with pytest.raises(RenderFailure) as failure:
        render(HTML, wait={"selector": "#never", "timeout_ms": 300})

    explain = failure.value.members["trace"].explain
    assert explain["wait"] == "selector"
    assert explain["bytes"]["html"] == len(HTML.encode())
    assert "selector" in failure.value.detail


def test_page_without_text_or_without_scripts_is_explained(render: Render) -> None:
    empty = explain_of(render(""))
    off = explain_of(render(HTML, javascript=False))

    assert empty["fonts"] == []
    assert len(off["fonts"]) == 3
