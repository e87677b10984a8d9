"""Documents that need only the print layout."""

from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.print_only_layout import is_safe_for

PLAIN = """<!doctype html><html lang=en><style>
@FONT-FACE { font-family: own; src: url(data:font/woff2;base64,AA==), local(Tinos) }
h1 { color: #123; background: URL( "data:image/png;base64,AA==" ) } p { fill: url(#m); --soft: 1 }
a:link, table td:nth-child(2) { table-layout: fixed; color: var(--soft) } #m:hover {}
</style><!-- The sum / total: --><h1>Sum/Total: 1</h1>
<img src="https://example.com/logo.png"><svg><circle id=m r=4 /></svg>"""

ON_A_SCREEN_FIRST: dict[str, dict[str, Any]] = {
    "drawn": {"format": "png"},
    "drawn as well": {"formats": ["pdf", "webp"]},
    "written out": {"formats": ["pdf", "html"]},
    "in the medium of a screen": {"media": "screen"},
    "held to PDF/UA": {"pdf": {"pdfua": True}},
    "reported on": {"pdf": {"accessibility_report": True}},
    "judged by its parts": {"asset_policy": "strict"},
    "waited for by a selector": {"wait": {"selector": "h1"}},
    "waited for by an expression": {"wait": {"expression": "true"}},
    "let go on": {"wait": {"delay_ms": 1}},
}


@pytest.mark.parametrize(
    "output",
    [
        {},
        {"format": "zip"},
        {"formats": ["pdf", "xml"]},
        {"pdf": {"tagged": False, "outline": True, "header": {"enabled": True, "left": "x"}}},
        {"viewport": {"width": 300}, "locale": "de", "wait": {"until": "networkidle"}},
    ],
)
def test_plain_document_needs_only_print_layout(output: dict[str, Any]) -> None:
    assert is_safe_for(PLAIN, OutputOptions.from_json(output))


@pytest.mark.parametrize("how", ON_A_SCREEN_FIRST)
def test_screen_options_need_screen_layout(how: str) -> None:
    assert not is_safe_for(PLAIN, OutputOptions.from_json(ON_A_SCREEN_FIRST[how]))


@pytest.mark.parametrize(
    "more",
    [
        "<style>@font-face { font-family: own; src: url(own.woff2) }</style>",
        "<style>p { Animation: k 1s }</style>",
        "<svg><animateTransform /></svg>",
        "<p style='transition: all 1s'>",
        "<marquee>",
        "<VIDEO src=x>",
        "<audio controls>",
        "<input AutoFocus>",
        "<select size=3>",
        "<style>p { scroll-initial-target: nearest }</style>",
        "<style>p { position-try-fallbacks: flip-inline }</style>",
        "<style>p { contain-intrinsic-size: auto; content-visibility: auto }</style>",
        "<p style='position: STICKY'>",
        "<p style='position: fixed'>",
        "<p style='background: red  fixed'>",
        "<style>/* of */ zoom: 2</style><p>",
        "<style>p { b { color: red } zoom: 2 }</style>",
        "<p style=zoom:2>",
        "<style>p { color: red; /* bigger */ zoom : 2 }</style>",
        "<style>@layer a { p { color: red } }</style>",
        "<own-element>",
        "<td background=x.png>",
        "<td background\n= x.png>",
        "<p style='background: u\\72l(x.png)'>",
        "<p style='background: url&#40;x.png)'>",
        "<p style='background: &#x75;rl&lpar;x.png)'>",
        "<style>p { background: image-set('x.png' 1x) }</style>",
        "<style>p { background: url(x.png) }</style>",
        "<style>p { background: url( ' x.png') }</style>",
        "<style>p { background: URL( \n'x.png' ) }</style>",
    ],
)
def test_scripts_and_layout_dependent_content_need_screen_layout(more: str) -> None:
    assert not is_safe_for(PLAIN + more, OutputOptions.from_json({}))
