"""The test mark on documents of test keys."""

import io

import pikepdf
import pypdfium2
from PIL import Image, ImageChops

from tests.builders.pages.real_browser import Render

PAGES = "<h1>One</h1><p style='break-before:page'>Two"


def pixels_of(content: bytes, number: int) -> Image.Image:
    picture: Image.Image = pypdfium2.PdfDocument(content)[number].render(scale=1).to_pil()
    return picture.convert("RGB")


def grey_part(picture: Image.Image) -> float:
    """Return the share of a picture that is neither white nor black."""
    counts = picture.convert("L").histogram()
    return sum(counts[120:240]) / sum(counts)


def test_every_page_of_a_test_pdf_shows_the_test_mark(render: Render) -> None:
    (live,) = render(PAGES).files
    (test,) = render(PAGES, test=True).files

    assert test.pages == 2
    for number in range(2):
        difference = ImageChops.difference(
            pixels_of(live.content, number), pixels_of(test.content, number)
        )
        left, top, right, bottom = difference.getbbox() or (0, 0, 0, 0)
        assert 0.03 < grey_part(pixels_of(test.content, number)) < 0.25
        # Across the page, and completely on it.
        assert (right - left, bottom - top) > (300, 400)
        assert (left, top) > (5, 5)
        assert right < 590
        assert bottom < 837


def test_test_mark_is_an_artifact_and_the_tags_stay(render: Render) -> None:
    (live,) = render(PAGES).files
    (test,) = render(PAGES, test=True).files

    marked = pikepdf.open(io.BytesIO(test.content))
    before = pikepdf.open(io.BytesIO(live.content))
    for page in marked.pages:
        operators = [
            (str(instruction.operator), [str(operand) for operand in instruction.operands])
            for instruction in pikepdf.parse_content_stream(page)
        ]
        ours = next(
            n
            for n, (_, operands) in enumerate(operators)
            if any("Watermark" in o for o in operands)
        )
        assert operators[ours][0] == "BDC"
        assert operators[ours][1][0] == "/Artifact"
        assert operators[-1][0] == "EMC"
    assert marked.Root.MarkInfo.Marked
    assert marked.pages[0].StructParents == before.pages[0].StructParents


def test_test_png_shows_the_test_mark_and_keeps_its_transparency(render: Render) -> None:
    image = {"width": 400, "height": 300, "transparent": True}

    (produced,) = render("<p>", format="png", image=image, test=True).files

    picture = Image.open(io.BytesIO(produced.content))
    opaque = sum(picture.getchannel("A").histogram()[1:])
    assert picture.size == (400, 300)
    assert picture.mode == "RGBA"
    assert 0.03 < opaque / (400 * 300) < 0.3
