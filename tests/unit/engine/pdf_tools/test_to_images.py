"""Pictures of pages: size, content, formats and bounds."""

import io
from collections.abc import Sequence

import pikepdf
import pytest
from PIL import Image, ImageChops

from chalicelib.contract.options.pdf_tools import PageImageFormat, ToImagesOptions
from chalicelib.core.errors import RenderFailure
from tests.builders.pdfs.tool_call import call_tool
from tests.builders.pdfs.unarchived import (
    Change,
    add_annotations,
    add_form,
    document,
    locked,
    saved,
)

RED = (255, 0, 0)
WHITE = (255, 255, 255)
# A page of one by two inches whose lower left quarter is red.
SQUARE = b"1 0 0 rg 0 0 36 72 re f"


def page(*changes: Change, content: bytes = SQUARE, size: Sequence[float] = (72, 144)) -> bytes:
    def resize(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.MediaBox = [0, 0, *size]

    return document(resize, *changes, content=content)


def pictures(content: bytes, options: ToImagesOptions, *, test: bool = False) -> list[Image.Image]:
    files = call_tool(options, content, test=test).output.files
    opened: list[Image.Image] = [Image.open(io.BytesIO(file.content)) for file in files]
    for file, picture in zip(files, opened, strict=True):
        assert (file.width, file.height) == picture.size
        assert file.content_type == f"image/{file.format}"
    return opened


def pages(count: int) -> bytes:
    with pikepdf.new() as pdf:
        for _ in range(count):
            pdf.add_blank_page(page_size=(72, 72))
        return saved(pdf)


@pytest.mark.parametrize("format_", ["png", "jpeg", "webp"])
def test_page_becomes_a_picture_of_its_size(format_: PageImageFormat) -> None:
    (picture,) = pictures(page(), ToImagesOptions(format_, 100))

    assert (picture.format, picture.size) == (format_.upper(), (100, 200))
    rgb = picture.convert("RGB")
    lower, upper = rgb.getpixel((20, 180)), rgb.getpixel((20, 20))
    assert all(abs(a - b) < 4 for a, b in zip(lower, RED, strict=True))  # type: ignore[arg-type]
    assert all(abs(a - b) < 4 for a, b in zip(upper, WHITE, strict=True))  # type: ignore[arg-type]


def test_rotation_crop_box_and_user_unit_count() -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        shown = pdf.pages[0].obj
        shown.CropBox, shown.Rotate, shown.UserUnit = [0, 0, 36, 72], 90, 2

    (picture,) = pictures(page(change), ToImagesOptions("png", 72))

    assert picture.size == (144, 72)
    assert picture.getpixel((70, 36)) == RED


def test_chosen_pages_have_their_numbers_of_parts() -> None:
    call = call_tool(ToImagesOptions("png", 36, "2,4-5"), pages(5))

    assert [file.part for file in call.output.files] == [1, 2, 3]


@pytest.mark.parametrize("change", [add_annotations, add_form])
def test_annotations_and_fields_are_drawn(change: Change) -> None:
    with_them = pictures(document(change), ToImagesOptions())

    assert with_them[0].tobytes() != pictures(document(), ToImagesOptions())[0].tobytes()


def test_test_key_marks_each_picture() -> None:
    (marked,) = pictures(page(content=b""), ToImagesOptions(), test=True)

    assert len(marked.getcolors() or ()) > 1


def test_locked_source_opens_with_its_password() -> None:
    call = call_tool(ToImagesOptions(), locked(page()), password="user")

    assert call.file.width == 150


def test_equal_sources_give_equal_bytes() -> None:
    first, second = (call_tool(ToImagesOptions(), document(add_form)) for _ in range(2))

    assert first.file.content == second.file.content


def test_strips_join_without_a_seam(monkeypatch: pytest.MonkeyPatch) -> None:
    content = document(add_annotations, content=b"0.2 w 0 0 m 595 842 l S 9 w 0 842 m 595 0 l S")
    (whole,) = pictures(content, ToImagesOptions())
    monkeypatch.setattr("chalicelib.engine.pdf.document.page_picture._STRIP_PIXELS", 40_000)

    (striped,) = pictures(content, ToImagesOptions())

    # Edges are smoothed with another rounding, which nobody sees.
    difference = ImageChops.difference(striped, whole).convert("L")
    assert difference.getextrema()[1] <= 2  # type: ignore[operator]


@pytest.mark.parametrize(
    "box", [[0, 0, 0, 0], [5, 5, 5, 5], [0, 0, 0.001, 5], [900, 900, 999, 999]]
)
def test_page_without_extent_becomes_some_picture(box: list[float]) -> None:
    def change(pdf: pikepdf.Pdf) -> None:
        pdf.pages[0].obj.CropBox = box

    (picture,) = pictures(page(change), ToImagesOptions("png", 36))

    assert min(picture.size) >= 1


@pytest.mark.parametrize(
    ("options", "size", "told"),
    [
        (ToImagesOptions("png", 300), (14_400, 72), "60000 x 300"),
        (ToImagesOptions("png", 72), (16_384, 16_384), "16384 x 16384"),
        (ToImagesOptions("webp", 72), (16_384, 72), "at most 16383"),
        (ToImagesOptions("png", 36), (1e9, 72), "at most 16384"),
    ],
)
def test_too_large_picture_is_refused(
    options: ToImagesOptions, size: tuple[float, float], told: str
) -> None:
    with pytest.raises(RenderFailure, match=told) as refused:
        call_tool(options, page(size=size))

    assert refused.value.code == "validation_error"
    assert [error.path for error in refused.value.errors] == ["/dpi"]


def test_more_than_500_pictures_are_refused() -> None:
    with pytest.raises(RenderFailure, match="at most 500") as refused:
        call_tool(ToImagesOptions("png", 36), pages(501))

    assert [error.path for error in refused.value.errors] == ["/pages"]


def test_page_that_is_none_is_refused() -> None:
    whole = page()

    with pytest.raises(RenderFailure) as refused:
        call_tool(ToImagesOptions(), whole.replace(b"/Type /Page ", b"/Type /Font "))
    assert refused.value.code == "invalid_pdf_source"


def test_damaged_source_is_mended_or_refused() -> None:
    whole = page()

    assert call_tool(ToImagesOptions(), whole[: whole.rindex(b"startxref")]).file.width == 150
    with pytest.raises(RenderFailure) as refused:
        call_tool(ToImagesOptions(), whole[:60])
    assert refused.value.code == "invalid_pdf_source"
