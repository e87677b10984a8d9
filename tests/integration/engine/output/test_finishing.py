"""Finished PDFs: watermark, attachments, metadata and protection, as readers see them."""

import base64
import io
import unicodedata
from typing import Any

import pikepdf
import pypdf
import pypdfium2
import pytest
from PIL import Image, ImageChops

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render

DOCUMENT = (
    "<!doctype html><html lang=en><title>Of the page</title><h1>One</h1>"
    "<p style='break-before:page'>Two"
)
MOMENT = "D:20000101000000+00'00'"


def pixels_of(content: bytes, number: int = 0, password: str | None = None) -> Image.Image:
    document = pypdfium2.PdfDocument(content, password=password)
    picture: Image.Image = document[number].render(scale=1).to_pil()
    return picture.convert("RGB")


def mark_of(render: Render, number: int = 0, **watermark: Any) -> Image.Image:
    """Return the difference that a watermark makes on a page."""
    (plain,) = render(DOCUMENT).files
    (marked,) = render(DOCUMENT, pdf={"watermark": watermark}).files
    return ImageChops.difference(
        pixels_of(plain.content, number), pixels_of(marked.content, number)
    )


def content(data: bytes) -> dict[str, str]:
    return {"content": base64.b64encode(data).decode()}


def picture(size: tuple[int, int] = (120, 60), **save: Any) -> bytes:
    result = io.BytesIO()
    Image.new("RGB", size, "red").save(result, **{"format": "PNG", **save})
    return result.getvalue()


@pytest.mark.parametrize("text", ["ENTWURF", "機密文書", "سري للغاية", "नमूना", "ร่าง", "😀"])
def test_watermark_text_in_any_script_crosses_every_page(render: Render, text: str) -> None:
    for number in range(2):
        mark = mark_of(render, number, text=text, opacity=1, color="rgb(0, 0, 0)")

        left, top, right, bottom = mark.getbbox() or (0, 0, 0, 0)
        assert (right - left) > 200
        assert (bottom - top) > 150
        assert left > 40
        assert top > 80


def test_watermark_text_in_every_script_can_be_extracted(render: Render) -> None:
    words = ["ENTWURF", "機密", "비밀", "ร่าง", "नमूना"]

    (marked,) = render(DOCUMENT, pdf={"watermark": {"text": "\n".join(words)}}).files

    (first, _) = pypdf.PdfReader(io.BytesIO(marked.content)).pages
    text = unicodedata.normalize("NFKC", first.extract_text())
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize("format_", ["PNG", "JPEG", "WEBP", "GIF"])
def test_watermark_picture_of_any_format_is_at_the_requested_position(
    render: Render, format_: str
) -> None:
    mark = mark_of(
        render, image=content(picture(format=format_)), position="bottom-right", angle=0, opacity=1
    )

    left, top, right, bottom = mark.getbbox() or (0, 0, 0, 0)
    # 120 x 60 pixels are 90 x 45 points; the page has 595 x 842 points.
    assert [right - left, bottom - top] == pytest.approx([90, 45], abs=3)
    assert [right, bottom] == pytest.approx([568, 814], abs=3)


def test_svg_watermark_under_the_text_stays_vectors(render: Render) -> None:
    size = b"width='9' height='9'"
    svg = (
        b"\xef\xbb\xbf <svg xmlns='http://www.w3.org/2000/svg' %s><path d='M0 0H9V9'/></svg>" % size
    )

    (marked,) = render(DOCUMENT, pdf={"watermark": {"image": content(svg), "layer": "under"}}).files

    with pikepdf.open(io.BytesIO(marked.content)) as document:
        page = document.pages[0]
        form = page.Resources.XObject.PlatenMark
        operators = [str(each.operator) for each in pikepdf.parse_content_stream(page)]
        assert "/XObject" not in form.get("/Resources", {})
        assert operators.index("Do") < operators.index("BT")


@pytest.mark.parametrize("data", [b"no picture", picture()[:20], b"<svg", b"<html><p>x"])
def test_invalid_watermark_picture_fails_the_render(render: Render, data: bytes) -> None:
    with pytest.raises(RenderFailure) as failure:
        render(DOCUMENT, pdf={"watermark": {"image": content(data)}})

    assert failure.value.code == "asset_fetch_failed"
    assert "/output/pdf/watermark/image" in failure.value.detail


def test_markup_in_watermark_text_is_shown_as_text(render: Render) -> None:
    hostile = "</div><script>document.title='unreadable'</script>&amp;{}%"

    (marked,) = render(DOCUMENT, pdf={"watermark": {"text": hostile}}).files

    (first, _) = pypdf.PdfReader(io.BytesIO(marked.content)).pages
    assert "<script>" in first.extract_text()


def test_a_watermark_is_an_artifact_and_the_tags_stay(render: Render) -> None:
    (marked,) = render(DOCUMENT, pdf={"watermark": {"text": "x"}}, test=True).files

    with pikepdf.open(io.BytesIO(marked.content)) as document:
        for page in document.pages:
            instructions = list(pikepdf.parse_content_stream(page))
            artifacts = [
                each for each in instructions if "Watermark" in "".join(map(str, each.operands))
            ]
            operators = [str(each.operator) for each in instructions]
            assert [str(each.operator) for each in artifacts] == ["BDC", "BDC"]
            assert operators.count("q") == operators.count("Q")
            assert b"BDC" not in page.Resources.XObject.PlatenMark.read_bytes()
        assert document.Root.MarkInfo.Marked
        assert document.Root.StructTreeRoot.K.S == "/Document"


def test_attachments_are_in_the_names_tree_and_bound_to_the_document(render: Render) -> None:
    files = [
        {**content(b"<a/>"), "filename": "Größe.xml", "content_type": "text/xml"}
        | {"description": "The data", "relationship": "Data"},
        {**content(b"\0\xff"), "filename": "a.bin"},
        {**content(b"other"), "filename": "A.bin"},
    ]

    (produced,) = render(DOCUMENT, pdf={"attachments": files}).files

    reader = pypdf.PdfReader(io.BytesIO(produced.content))
    assert {name: bytes(*contents) for name, contents in reader.attachments.items()} == {
        "Größe.xml": b"<a/>",
        "a.bin": b"\0\xff",
        "A-2.bin": b"other",
    }
    with pikepdf.open(io.BytesIO(produced.content)) as document:
        first, second, third = document.Root.AF
        described = [str(each) for each in (first.UF, first.Desc, first.AFRelationship)]
        assert described == ["Größe.xml", "The data", "/Data"]
        assert first.EF.UF.Subtype == "/text/xml"
        assert first.EF.UF.Params.ModDate == MOMENT
        assert first.EF.UF.Params.CreationDate == MOMENT
        assert first.EF.UF.Params.Size == 4
        assert second.AFRelationship == "/Unspecified"
        assert third.UF == "A-2.bin"


def test_metadata_are_the_same_in_info_and_xmp(render: Render) -> None:
    metadata = {
        "title": "Größe <1> & 日本\x01",
        "author": "A",
        "subject": "S",
        "keywords": ["one", "two, three"],
        "language": "ja",
    }

    (produced,) = render(DOCUMENT, pdf={"metadata": metadata}).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        info = {name: str(value) for name, value in document.docinfo.items()}
        assert info["/Title"] == "Größe <1> & 日本"
        assert (info["/Author"], info["/Subject"]) == ("A", "S")
        assert info["/Keywords"] == "one, two, three"
        with document.open_metadata() as packet:
            assert packet["dc:title"] == info["/Title"]
            assert list(packet["dc:creator"]) == ["A"]
            assert packet["dc:description"] == "S"
            assert sorted(packet["dc:subject"]) == ["one", "two, three"]
            assert packet["xmp:CreateDate"] == "2000-01-01T00:00:00Z"
            assert "xmp:MetadataDate" not in packet
        assert document.Root.Lang == "ja"
        assert document.Root.StructTreeRoot.K.Lang == "ja"
        assert document.Root.ViewerPreferences.DisplayDocTitle


def test_metadata_left_out_are_taken_from_the_page(render: Render) -> None:
    (produced,) = render(DOCUMENT, pdf={"metadata": {"author": "A"}}).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        assert document.docinfo["/Title"] == "Of the page"
        assert document.Root.Lang == "en"
        with document.open_metadata() as packet:
            assert packet["dc:title"] == "Of the page"


def test_a_protected_document_opens_with_either_password(render: Render) -> None:
    protection = {
        "user_password": "üser",
        "owner_password": "owner",
        "permissions": {"print": False, "copy": False, "modify": True, "annotate": False},
    }

    (produced,) = render(DOCUMENT, pdf={"protection": protection}, test=True).files

    assert produced.pages == 2
    assert b"Of the page" not in produced.content
    with pytest.raises(pikepdf.PasswordError):
        pikepdf.open(io.BytesIO(produced.content))
    with pikepdf.open(io.BytesIO(produced.content), password="üser") as document:
        assert (document.encryption.R, document.encryption.bits) == (6, 256)
        assert document.encryption.stream_method == pikepdf.models.EncryptionMethod.aesv3
        allowed = document.allow
        assert not document.owner_password_matched
        assert not allowed.print_highres
        assert not allowed.extract
        assert allowed.modify_other
        assert not allowed.modify_annotation
        assert allowed.accessibility
    with pikepdf.open(io.BytesIO(produced.content), password="owner") as document:
        assert document.owner_password_matched
    assert pypdf.PdfReader(io.BytesIO(produced.content), password="owner").get_num_pages() == 2
    assert pixels_of(produced.content, password="üser").getbbox()


def test_without_an_owner_password_no_password_gives_owner_rights(render: Render) -> None:
    (produced,) = render(DOCUMENT, pdf={"protection": {"user_password": "user"}}).files

    for password in ("", "owner"):
        with pytest.raises(pikepdf.PasswordError):
            pikepdf.open(io.BytesIO(produced.content), password=password)
    with pikepdf.open(io.BytesIO(produced.content), password="user") as document:
        assert not document.owner_password_matched


def test_a_protected_document_is_hardly_larger_than_an_open_one(render: Render) -> None:
    rows = f"<table>{'<tr><td>Row<td>1' * 300}</table>"
    protection = {"protection": {"owner_password": "owner"}}

    sizes = [len(render(rows, pdf=pdf).files[0].content) for pdf in ({}, protection)]

    assert sizes[1] < 1.3 * sizes[0]


def test_an_owner_password_alone_leaves_the_document_open(render: Render) -> None:
    options = {"owner_password": "owner", "permissions": {"modify": False}}

    (produced,) = render(DOCUMENT, pdf={"protection": options}).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        assert not document.allow.modify_other
        assert document.allow.print_highres
