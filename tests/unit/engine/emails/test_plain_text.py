"""Plain text that is made of the HTML of an email."""

import time

import pytest

from chalicelib.engine.delivery.emails import DOWNLOADS_MARKER
from chalicelib.engine.emails.plain_text import plain_text

MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>Hello  <b>Ada</b>,</p>\n<p>good day</p>", "Hello Ada,\n\ngood day"),
        ("one<br>two", "one\ntwo"),
        ('<a href="https://x.org/?a=1&amp;b=2">here</a>', "here (https://x.org/?a=1&b=2)"),
        ('<a href="https://x.org">https://x.org</a>', "https://x.org"),
        ('<a href="mailto:a@x.org?subject=b">write</a>', "write (a@x.org)"),
        ('<a href="javascript:alert(1)">here</a><a href="#top"> up</a>', "here up"),
        ("<ul><li>a<li>b<ol><li>c</li><li>d</li></ol></ul>", "- a\n- b\n\n  1. c\n  2. d"),
        (
            "<table><tr><th>Item<th>Price</tr><tr><td>Pen<td>3 &euro;</table>",
            "Item | Price\nPen | 3 €",
        ),
        ("<pre>  a\n   b</pre>", "  a\n   b"),
        ("<div style='display: none'>x<div>y</div></div><p hidden>z</p>shown", "shown"),
        ("<title>t</title><style>p{}</style><script>'<p>'</script>shown", "shown"),
        ('<img src="cid:1" alt="Our logo">', "Our logo"),
        ("<!-- <p>no --><p title='>'>yes", "yes"),
        ("1 < 2 &lt; 3 &amp;amp; &#0;", "1 < 2 < 3 &amp; \ufffd"),
        ("before <a href='x", "before"),
        ("", ""),
    ],
)
def test_text_says_what_the_html_shows(html: str, text: str) -> None:
    assert plain_text(html) == text


def test_marker_of_the_links_stays() -> None:
    assert DOWNLOADS_MARKER in plain_text(f"<p>Files: {DOWNLOADS_MARKER}</p>")


@pytest.mark.parametrize(
    "piece",
    [
        *("<!--", "<a ", "<", "</", "<?", "<!", "<script>", "<div>", "<ol><li>", "<td>x", "<br>"),
        *("&", "&#", "&lt", '<a x="', "<p style='display ", "= ", " ", "a", "<a href=x>", "<pre>"),
    ],
)
def test_time_grows_with_the_length_only(piece: str) -> None:
    html = piece * (MEGABYTE // len(piece))
    started = time.process_time()

    plain_text(html)

    assert time.process_time() - started < 5


def test_number_of_thousands_of_digits_is_no_character() -> None:
    assert plain_text("&#" + "1" * 5_000).startswith("&#1")
