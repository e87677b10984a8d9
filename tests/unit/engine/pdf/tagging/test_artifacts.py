"""Tagged form XObjects: content when drawn first, an artifact when repeated."""

import io
from typing import Any

import pikepdf

from chalicelib.engine.pdf.tagging.artifacts import mark_artifacts
from tests.builders.pages.pdfs import A4, finish_printed, pdf_of

TAGGED = b"/P <</MCID 0 >>BDC\n0 0 1 1 re\nf\nEMC\n"


def form_of(document: pikepdf.Pdf, content: bytes, **forms: Any) -> Any:
    form = document.make_stream(content)
    form.Subtype = pikepdf.Name.Form
    form.StructParents = 1
    form.Resources = resources_of(**forms)
    return form


def resources_of(**forms: Any) -> pikepdf.Dictionary:
    return pikepdf.Dictionary(
        XObject=pikepdf.Dictionary({f"/{name}": form for name, form in forms.items()})
    )


def marked(document: pikepdf.Pdf, content: bytes, **forms: Any) -> Any:
    page = document.add_blank_page()
    page.Contents = document.make_stream(content)
    page.obj.Resources = resources_of(**forms)
    mark_artifacts(document)
    return page


def test_repeated_form_is_copied_without_tags() -> None:
    document = pikepdf.new()
    inner = form_of(document, TAGGED)
    outer = form_of(document, b"/X1 Do", X1=inner)

    page = marked(document, b"/X2 Do\n/X2 Do", X2=outer)

    assert page.Contents.read_bytes().split() == (
        b"/X2 Do /Artifact BMC /X2Artifact Do EMC".split()
    )
    copy = page.Resources.XObject.X2Artifact
    assert "/StructParents" not in copy
    assert b"MCID" not in copy.Resources.XObject.X1.read_bytes()
    assert outer.Resources.XObject.X1.read_bytes() == TAGGED


def test_form_without_nested_tags_is_an_artifact() -> None:
    document = pikepdf.new()
    plain = form_of(document, b"0 0 1 1 re\nf")
    mixed = form_of(document, b"0 0 1 1 re\nf\n/X1 Do\n/X2 Do", X1=plain)
    mixed.Resources.XObject.X2 = form_of(document, TAGGED)

    page = marked(document, b"/X3 Do\n/X1 Do", X3=mixed, X1=plain)

    assert page.Contents.read_bytes().split() == b"/X3 Do /Artifact BMC /X1 Do EMC".split()
    assert plain.read_bytes() == b"0 0 1 1 re\nf"
    assert (
        mixed.read_bytes().split()
        == (b"/Artifact BMC 0 0 1 1 re f EMC /Artifact BMC /X1 Do EMC /X2 Do").split()
    )


def test_archived_annotations_are_visible_and_printed() -> None:
    with pikepdf.open(io.BytesIO(pdf_of(A4))) as document:
        link = pikepdf.Dictionary(Subtype=pikepdf.Name.Link, Rect=[0, 0, 1, 1], F=2 | 32 | 64)
        document.pages[0].Annots = pikepdf.Array([document.make_indirect(link)])
        result = io.BytesIO()
        plain = pikepdf.ObjectStreamMode.disable
        document.save(result, object_stream_mode=plain, deterministic_id=True)

    made = finish_printed(result.getvalue(), {"pdfa": "2b"})

    with pikepdf.open(io.BytesIO(made)) as document:
        assert [int(each.F) for each in document.pages[0].Annots] == [4 | 64]
