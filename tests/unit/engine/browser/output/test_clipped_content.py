"""Scale and clip of a printed page are read from bytes that a document may imitate."""

import time
import zlib

import pytest

from chalicelib.engine.browser.output.clipped_content import PrintedPage, page_that_may_clip

# Chromium's scale for content that is made smaller by a third, and the clip of a page.
SHRUNK = b"q\n2.0833333 0 0 2.0833333 118 118 cm\nq\n118 118 2244 3271 re\nW n\n"
MAX_S = 5.0


def printed(stream: bytes = SHRUNK, box: bytes = b"594.95996 841.91998") -> bytes:
    return (
        b"%PDF-1.4\n4 0 obj\n<</MediaBox [0 0 " + box + b"]\n/Contents 7 0 R>>\nendobj\n"
        b"7 0 obj\n<<>> stream\n" + zlib.compress(stream) + b"\nendstream\n"
    )


def page(content: bytes) -> PrintedPage | None:
    return page_that_may_clip(content, 1.0, is_rtl=False)


def test_page_at_the_smallest_scale_is_read() -> None:
    found = page(printed())

    assert found is not None
    assert found.width == pytest.approx(2244 / 2.0833333)


@pytest.mark.parametrize(
    "content",
    [
        *(printed(box=box) for box in (b"... 792", b"1.2.3 792", b"594 .", b"9" * 400 + b" 792")),
        printed(SHRUNK.replace(b"118 2244", b"118 2.2.4")),
        printed(SHRUNK.replace(b"118 118 2244", b"... 118 2244")),
        printed(SHRUNK.replace(b"2.0833333", b"2..0")),
        printed(SHRUNK.replace(b" 118 118 cm", b" - . cm")),
        printed(SHRUNK.replace(b"2244", b"9" * 400)),
    ],
)
def test_text_that_resembles_numbers_is_skipped(content: bytes) -> None:
    assert page(content + printed()) in {None, page(printed())}


@pytest.mark.parametrize("part", [b"9", b"9.", b".", b"/MediaBox [0 0 9", b"q\n9 0 0 9 "])
def test_hostile_text_is_read_in_linear_time(part: bytes) -> None:
    text = part * (1_000_000 // len(part))
    began = time.process_time()

    page(b"/MediaBox [0 0 " + text)
    page(printed(b"q\n" + text))

    assert time.process_time() - began < MAX_S
