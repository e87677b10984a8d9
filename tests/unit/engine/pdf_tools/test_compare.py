"""Two documents, page by page: pictures, shares of changed pixels, and texts."""

import io

import pikepdf
import pytest
from pikepdf import Dictionary, Stream
from PIL import Image

from chalicelib.contract.options.pdf_tools import CompareOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools import compare
from chalicelib.engine.pdf_tools.comparing.comparison import Comparison
from chalicelib.engine.pdf_tools.comparing.pictures import ADDED, RECOLOURED, REMOVED
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from tests.builders.pdfs.unarchived import base_font, saved

# A page of one by one inch whose left half is black.
HALF = b"0 g 0 0 36 72 re f"
OTHER_HALF = b"0 g 36 0 36 72 re f"


def pdf(*contents: bytes, size: tuple[int, int] = (72, 72)) -> bytes:
    with pikepdf.new() as document:
        for content in contents:
            document.add_blank_page(page_size=size)
            page = document.pages[-1].obj
            page.Resources = Dictionary(Font=Dictionary(F=base_font()))
            page.Contents = Stream(document, content)
        return saved(document)


def lines(*texts: str) -> bytes:
    shown = b" 0 -14 Td ".join(b"(%s) Tj" % text.encode() for text in texts)
    return b"BT /F 9 Tf 10 380 Td %s ET" % shown


def compared(old: bytes, new: bytes, dpi: int = 72) -> ToolOutput:
    sources = [UnopenedPdf(old, None, "/from"), UnopenedPdf(new, None, "/to")]
    return compare.run(ToolInput(CompareOptions(dpi), sources, max_pages=50))


def comparison(old: bytes, new: bytes) -> Comparison:
    found = compared(old, new).comparison
    assert found is not None
    return found


def changes(old: str, new: str) -> list[tuple[str, str | None, str | None]]:
    found = comparison(*(pdf(lines(*text.split("\n")), size=(400, 400)) for text in (old, new)))
    return [(each.kind, each.from_, each.to) for each in found.text_changes]


def picture(output: ToolOutput, number: int | None) -> Image.Image:
    assert number is not None
    return Image.open(io.BytesIO(output.files[number].content))


def test_share_is_that_of_the_changed_pixels() -> None:
    output = compared(pdf(HALF), pdf(b"0 g 0 0 18 72 re f"))

    assert output.comparison is not None
    (page,) = output.comparison.pages
    assert (page.page, page.changed) == (1, 0.25)
    assert [file.format for file in output.files] == ["png"] * 3
    assert picture(output, page.from_picture).getpixel((27, 36)) == (0, 0, 0)
    assert picture(output, page.to_picture).getpixel((27, 36)) == (255, 255, 255)
    assert picture(output, page.diff_picture).getpixel((27, 36)) == REMOVED


def test_what_is_new_has_another_colour_than_what_is_gone() -> None:
    output = compared(pdf(HALF), pdf(OTHER_HALF))

    assert output.comparison is not None
    (page,) = output.comparison.pages
    shown = picture(output, page.diff_picture)
    assert (page.changed, shown.getpixel((18, 36)), shown.getpixel((54, 36))) == (
        1.0,
        REMOVED,
        ADDED,
    )


def test_what_has_another_colour_is_neither_new_nor_gone() -> None:
    output = compared(pdf(HALF), pdf(b"1 0 0 rg 0 0 36 72 re f"))

    assert output.comparison is not None
    (page,) = output.comparison.pages
    assert picture(output, page.diff_picture).getpixel((18, 36)) == RECOLOURED


@pytest.mark.parametrize("new", [pdf(HALF), pdf(HALF + b" ")])
def test_page_without_changes_has_one_picture_for_both(new: bytes) -> None:
    output = compared(pdf(HALF), new)

    assert output.comparison is not None
    (page,) = output.comparison.pages
    assert (page.changed, page.from_picture) == (0.0, page.to_picture)
    assert page.diff_picture is not None
    assert output.comparison.text_changes == ()


def test_change_too_small_for_the_digits_of_a_share_is_not_zero() -> None:
    large = (1440, 1440)
    (page,) = comparison(pdf(b"", size=large), pdf(b"0 g 5 5 1 1 re f", size=large)).pages

    assert page.changed == 0.000001


@pytest.mark.parametrize("is_new", [True, False])
def test_page_of_one_document_only_has_one_picture(is_new: bool) -> None:  # noqa: FBT001
    short, long = pdf(HALF), pdf(HALF, OTHER_HALF)
    _, page = comparison(*((short, long) if is_new else (long, short))).pages

    assert (page.page, page.changed, page.diff_picture) == (2, 1.0, None)
    assert (page.from_picture is None, page.to_picture is None) == (is_new, not is_new)


def test_part_that_only_one_page_covers_is_changed() -> None:
    output = compared(pdf(b"", size=(72, 72)), pdf(b"", size=(72, 144)))

    assert output.comparison is not None
    (page,) = output.comparison.pages
    shown = picture(output, page.diff_picture)
    assert (page.changed, shown.size, shown.getpixel((5, 100))) == (0.5, (72, 144), ADDED)


def test_same_documents_give_the_same_bytes_again() -> None:
    documents = pdf(HALF, lines("a")), pdf(OTHER_HALF, lines("b"))
    first, second = compared(*documents), compared(*documents)

    assert first == second


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Sum 100 EUR", "Sum 120 EUR", [("changed", "Sum 100 EUR", "Sum 120 EUR")]),
        ("one\ntwo", "one\ntwo\nthree", [("added", None, "three")]),
        ("one\ntwo\nthree", "three", [("removed", "one\ntwo", None)]),
        # Lines that are alike belong together, not those of the same place.
        (
            "Total 49.00 EUR",
            "Support 180.00 EUR\nTotal 229.00 EUR",
            [
                ("added", None, "Support 180.00 EUR"),
                ("changed", "Total 49.00 EUR", "Total 229.00 EUR"),
            ],
        ),
        (
            "Thank you for it",
            "Terms\nThank you all for it",
            [("added", None, "Terms"), ("changed", "Thank you for it", "Thank you all for it")],
        ),
        # Broken otherwise: the words, not the lines.
        ("a b c d e f\ng h i j", "a b c\nd e F g\nh i j", [("changed", "f", "F")]),
        ("a b c d e f\ng h i j", "a b c\nd x e f g\nh i j", [("added", None, "x")]),
        ("a b c d\ne f g", "a b c\nd e f g", []),
        ("a b c d e f g", "a b\nc d\ne f g", []),
    ],
)
def test_changes_of_text(old: str, new: str, expected: list[tuple[str, str, str]]) -> None:
    assert changes(old, new) == expected


def test_text_that_moves_to_another_page_is_no_change() -> None:
    size = (400, 400)
    old = pdf(lines("one", "two", "three"), lines("four"), size=size)
    new = pdf(lines("zero", "one", "two"), lines("three", "four"), size=size)

    (change,) = comparison(old, new).text_changes
    assert (change.page, change.kind, change.to) == (1, "added", "zero")


def test_removed_text_has_the_page_where_it_was() -> None:
    size = (400, 400)
    old, new = pdf(lines("one"), lines("two"), size=size), pdf(lines("one"), size=size)

    (change,) = comparison(old, new).text_changes
    assert (change.page, change.kind, change.from_, change.to) == (2, "removed", "two", None)


def test_pixels_of_all_pages_are_bounded() -> None:
    content = pdf(*[b""] * 10, size=(842, 1190))
    with pytest.raises(RenderFailure) as refusal:
        compared(content, pdf(*[b" "] * 10, size=(842, 1190)), dpi=300)

    assert (refusal.value.code, refusal.value.errors[0].path) == ("validation_error", "/dpi")


def test_bytes_of_all_pictures_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compare, "MAX_BYTES", 100)
    with pytest.raises(RenderFailure) as refusal:
        compared(pdf(HALF), pdf(OTHER_HALF))

    assert refusal.value.code == "output_too_large"
