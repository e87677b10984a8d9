"""Which documents may have boxes that scroll: no other one is looked at."""

import pytest

from chalicelib.engine.browser.page.scrolling_boxes import Scrolling, scrolling_of


@pytest.mark.parametrize(
    ("html", "is_inert", "expected"),
    [
        ("<p>x", True, "never"),
        ("<style>p { overflow: hidden; overflow-wrap: anywhere }</style>", True, "never"),
        ("<style>p { text-overflow: ellipsis }</style>", True, "never"),
        ("<p style='OVERFLOW-Y : scroll'>", True, "certain"),
        ("<style>p { overflow: hidden auto }</style>", True, "certain"),
        ("<textarea>x</textarea>", True, "maybe"),
        ("<script>1</script>", False, "never"),
        ("<script>document.body.style.overflow = 'auto'</script>", False, "maybe"),
        ("<script defer src=a.js></script>", False, "maybe"),
        ("<link rel=stylesheet href=a.css>", False, "maybe"),
        ("overflow:" * 100_000, True, "never"),
    ],
)
def test_text_says_whether_boxes_scroll(html: str, *, is_inert: bool, expected: Scrolling) -> None:
    assert scrolling_of(html, is_inert=is_inert) == expected
