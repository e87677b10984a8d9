"""Origins of documents: documents that can reveal their origin get a derived one."""

import time

import pytest

from chalicelib.engine.browser.tab.origin import can_reveal_origin, document_origin, new_origin


@pytest.mark.parametrize(
    "html",
    [
        "<SCRIPT>x</SCRIPT>",
        "<svg><script href=data:,x />",
        "<body OnLoad\n=\tx()>",
        '<p id="a"onclick=x()>',
        "<img/onerror=x()>",
        "<p oncontentvisibilityautostatechange=x()>",
        "<iframe srcdoc=x>",
        "<frameset><frame src=x>",
        "<object data=x>",
        "<embed src=x>",
        "<link rel=stylesheet href=https://a.test/b.css>",
        "<base href=https://a.test/>",
        "<style>@IMPORT 'https://a.test/b.css'</style>",
        "<style>@font-face{src:url( 'https://a.test/f')}</style>",
        '<p style="mask-image:url(&quot;//a.test/m&quot;)">',
        "<img crossorigin src=https://a.test/i>",
    ],
)
def test_document_can_reveal_its_origin(html: str) -> None:
    assert can_reveal_origin(html)


@pytest.mark.parametrize(
    "html",
    [
        "<meta name=viewport content=x><p>once = twice, on = off, iron=fe",
        "<style>@font-face{src:url(data:font/woff2;base64,//8AAA==)}</style>",
        "<a href=https://a.test/>link</a><img src=https://a.test/i>",
        "<svg xmlns='http://www.w3.org/2000/svg'><use href='#a'/></svg>",
        "<header><p>script, iframe and object</header>",
    ],
)
def test_document_cannot_reveal_its_origin(html: str) -> None:
    assert not can_reveal_origin(html)


@pytest.mark.parametrize("part", ["<", "on", " on", "onabcdefgh", " onabc   ", "url(", "@", "é"])
def test_origin_check_takes_linear_time(part: str) -> None:
    html = part * (5_000_000 // len(part))
    begun = time.process_time()

    assert not can_reveal_origin(html)
    assert time.process_time() - begun < 5


def test_equal_documents_share_an_origin_and_others_do_not() -> None:
    assert document_origin("<p>a") == document_origin("<p>a")
    assert len({document_origin("<p>a"), document_origin("<p>b"), new_origin(), new_origin()}) == 4
    assert len(document_origin("\ud800")) == len(new_origin())
