"""First page of the files of a dry run: what it is of each kind, and what comes over the wire."""

import io

import pikepdf
import pytest
from PIL import Image

from chalicelib.engine.context import RenderedFile
from chalicelib.engine.remote.first_page import FirstPage, first_page
from chalicelib.engine.remote.results import DryRunResult, decode_result, encode_result


def pdf(*sizes: tuple[int, int]) -> RenderedFile:
    document, target = pikepdf.new(), io.BytesIO()
    for size in sizes:
        document.add_blank_page(page_size=size)
    document.save(target)
    return RenderedFile("pdf", target.getvalue(), "application/pdf")


@pytest.mark.parametrize(
    ("size", "dpi"), [((595, 842), 58), ((2384, 3370), 36), ((72, 72), 300), ((227, 9000), 152)]
)
def test_page_of_a_pdf_is_alone_and_names_the_resolution(size: tuple[int, int], dpi: int) -> None:
    page = first_page([pdf(size, (100, 100), (100, 100))])

    assert page is not None
    assert (page.format, page.dpi) == ("pdf", dpi)
    with pikepdf.open(io.BytesIO(page.content)) as document:
        (only,) = document.pages
        assert [float(side) for side in only.mediabox.as_list()[2:]] == list(size)


@pytest.mark.parametrize("size", [(9600, 3), (300, 100), (1, 4000)])
def test_picture_is_made_small_and_never_larger(size: tuple[int, int]) -> None:
    target = io.BytesIO()
    Image.new("RGB", size, "red").save(target, "png")

    page = first_page([RenderedFile("png", target.getvalue(), "image/png")])

    assert page is not None
    width, height = Image.open(io.BytesIO(page.content)).size
    assert page.format == "webp"
    assert 1 <= width <= min(480, size[0])
    assert 1 <= height <= size[1]


def test_picture_that_no_webp_can_have_gives_none() -> None:
    target = io.BytesIO()
    Image.new("RGB", (1, 16_384), "red").save(target, "png")

    assert first_page([RenderedFile("png", target.getvalue(), "image/png")]) is None


def test_files_without_pages_have_none() -> None:
    assert first_page([RenderedFile("html", b"<p>", "text/html")]) is None
    assert first_page([]) is None


def test_page_passes_the_wire() -> None:
    page = FirstPage("pdf", 58, b"%PDF")
    for sent in (page, None):
        content = encode_result(*DryRunResult.of(sent))
        result, contents = decode_result(content, DryRunResult)
        assert result.page(contents) == sent


def test_page_without_its_content_is_refused() -> None:
    result, contents = decode_result(encode_result(DryRunResult(("pdf", 58))), DryRunResult)

    with pytest.raises(IndexError):
        result.page(contents)
