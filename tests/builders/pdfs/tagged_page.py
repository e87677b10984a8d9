"""Tagged PDF of one page as simple programs write it: pages, tags, outline, links and ids."""

import io
import random

import pikepdf
from pikepdf import Array, Dictionary, Name, String


def tagged_page(name: str = "A", *, paragraphs: int = 30, font_bytes: int = 20_000) -> bytes:
    """Return the PDF: a heading "<name>", paragraphs, a link and an entry of the outline."""
    with pikepdf.new() as document:
        page = document.add_blank_page(page_size=(300, 400)).obj
        root = document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        top = document.make_indirect(Dictionary(Type=Name.StructElem, S=Name.Document, P=root))
        link = document.make_indirect(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name.Link,
                Rect=Array([20, 20, 60, 40]),
                StructParent=1,
                A=Dictionary(S=Name.GoTo, D=Array([page, Name.Fit])),
            )
        )
        elements = [_element(document, top, page, number) for number in range(paragraphs + 1)]
        elements[0].S, elements[0].ID = Name.H1, String("heading")
        elements[1].A = Dictionary(O=Name.Table, Headers=Array([String("heading")]))
        elements.append(_element(document, top, page, 0))
        elements[-1].S, elements[-1].K = Name.Link, Dictionary(Type=Name.OBJR, Obj=link, Pg=page)
        top.K = Array(elements)
        root.K = Array([top])
        root.ParentTree = Dictionary(Nums=Array([0, Array(elements[:-1]), 1, elements[-1]]))
        root.IDTree = Dictionary(Names=Array([String("heading"), elements[0]]))
        page.StructParents, page.Annots = 0, Array([link])
        page.Contents = document.make_stream(_content(name, paragraphs))
        font_file = document.make_stream(random.Random(name).randbytes(font_bytes))  # noqa: S311
        page.Resources = Dictionary(
            Font=Dictionary(
                F1=Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            ),
            Properties=Dictionary(Own=font_file),
        )
        document.Root.StructTreeRoot = root
        document.Root.MarkInfo = Dictionary(Marked=True)
        document.Root.Lang = String("en")
        document.docinfo["/Title"] = f"Title {name}"
        with document.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem(name, 0, "Fit"))
        saved = io.BytesIO()
        document.save(saved, static_id=True)
    return saved.getvalue()


def _element(
    document: pikepdf.Pdf, parent: pikepdf.Object, page: pikepdf.Object, number: int
) -> pikepdf.Object:
    return document.make_indirect(
        Dictionary(Type=Name.StructElem, S=Name.P, P=parent, Pg=page, K=number)
    )


def _content(name: str, paragraphs: int) -> bytes:
    lines = [f"/H1 <</MCID 0>> BDC BT /F1 18 Tf 20 370 Td ({name}) Tj ET EMC"]
    lines += [
        f"/P <</MCID {n}>> BDC BT /F1 8 Tf 20 {360 - 10 * n} Td (Line {n}) Tj ET EMC"
        for n in range(1, paragraphs + 1)
    ]
    return "\n".join(lines).encode()
