"""The tool `flatten`: elements of tagged documents, signatures, XFA."""

import pikepdf
from pikepdf import Array, Dictionary, Name

from chalicelib.contract.options.pdf_tools import FlattenOptions
from tests.builders.pdfs.content import opened, tool_run
from tests.builders.pdfs.forms import FormBuilder, annotated_page, flatten, font_files


def tagged() -> tuple[FormBuilder, pikepdf.Object, pikepdf.Object]:
    """Return a tagged page with a stamp and a hidden one; elements refer to both."""
    form = annotated_page(StructParent=1)
    hidden = form.document.make_indirect(
        Dictionary(Type=Name.Annot, Subtype=Name.Stamp, Rect=Array([0, 0, 9, 9]), F=2)
    )
    hidden.StructParent = 2
    form.page.Annots.append(hidden)
    form.page.StructParents = 0
    form.page.Contents = form.document.make_stream(b"/P <</MCID 0>> BDC 1 w EMC")
    root = form.document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
    text, shown, gone = (
        form.document.make_indirect(Dictionary(Type=Name.StructElem, S=kind, P=root, Pg=form.page))
        for kind in (Name.P, Name.Form, Name.Annot)
    )
    text.K = 0
    shown.K = Array([Dictionary(Type=Name.OBJR, Obj=form.page.Annots[0])])
    gone.K = Dictionary(Type=Name.OBJR, Obj=hidden)
    root.K = Array([text, shown, gone])
    root.ParentTree = form.document.make_indirect(
        Dictionary(Nums=Array([0, Array([text]), 1, shown, 2, gone]))
    )
    form.document.Root.StructTreeRoot = root
    form.document.Root.MarkInfo = Dictionary(Marked=True)
    return form, shown, gone


def test_elements_get_what_was_drawn() -> None:
    form, *_ = tagged()

    document = opened(flatten(form.document))

    text, shown, gone = document.Root.StructTreeRoot.K
    assert text.K == 0
    (content,) = shown.K
    assert (str(content.Type), int(content.MCID)) == ("/MCR", 1)
    assert content.Pg.objgen == document.pages[0].obj.objgen
    assert list(gone.K) == []
    parents = pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)
    assert list(parents) == [0]
    assert [each.objgen for each in parents[0]] == [text.objgen, shown.objgen]
    tags = [
        (str(each.operands[0]), int(each.operands[1].MCID))
        for each in pikepdf.parse_content_stream(document.pages[0], "BDC")
    ]
    assert tags == [("/P", 0), ("/Form", 1)]


def test_numbers_that_nothing_lists_are_not_used_again() -> None:
    form, *_ = tagged()
    form.page.Contents = form.document.make_stream(b"/P <</MCID 7>> BDC 1 w EMC")
    del form.page.StructParents

    document = opened(flatten(form.document))

    (content,) = document.Root.StructTreeRoot.K[1].K
    assert content.MCID == 8
    parents = pikepdf.NumberTree(document.Root.StructTreeRoot.ParentTree)
    assert Name.Form == parents[int(document.pages[0].obj.StructParents)][8].S


def test_a_structure_that_contains_itself_ends() -> None:
    form, shown, _ = tagged()
    shown.K.append(shown)
    shown.K.append(form.document.Root.StructTreeRoot)

    assert len(opened(flatten(form.document)).pages) == 1


def test_what_no_element_names_is_an_artifact() -> None:
    document = opened(flatten(annotated_page().document))

    tags = pikepdf.parse_content_stream(document.pages[0], "BMC BDC")
    assert [str(each.operands[0]) for each in tags] == ["/Artifact"]


def test_a_signed_document_is_told_once() -> None:
    form = FormBuilder()
    form.field("s", "Sig", [10, 10, 90, 30], V=Dictionary(Type=Name.Sig))
    form.form.SigFlags = 3

    _, tool_input = tool_run(FlattenOptions(), form.document, fonts=font_files())

    assert [each.detail for each in tool_input.warnings] == ["signature"]


def test_an_xfa_part_is_told() -> None:
    form = FormBuilder()
    form.form.XFA = form.document.make_stream(b"<xdp/>")

    _, tool_input = tool_run(FlattenOptions(), form.document, fonts=font_files())

    assert [each.detail for each in tool_input.warnings] == ["xfa"]


def test_files_of_annotations_become_files_of_the_document() -> None:
    form = annotated_page(Subtype=Name.FileAttachment)
    kept, other = (
        pikepdf.AttachedFileSpec(
            form.document,
            content,
            filename="a.txt",
            description="",
            mime_type="",
            creation_date="",
            mod_date="",
        )
        for content in (b"kept", b"other")
    )
    form.document.attachments["a.txt"] = other
    form.page.Annots[0].FS = kept.obj

    document = opened(flatten(form.document))

    contents = {name: each.get_file().read_bytes() for name, each in document.attachments.items()}
    assert contents == {"a.txt": b"other", "a-2.txt": b"kept"}
