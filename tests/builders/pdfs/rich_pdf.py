"""PDF with everything that belongs to pages: outline, names, tags, fields, links, labels, files."""

import io
import random
from typing import Any

import pikepdf
from pikepdf import Array, Dictionary, Name, String

_FONT_BYTES = 8_000


def rich_pdf(page_count: int = 4, name: str = "A", *, language: str = "en") -> bytes:
    """Return a tagged PDF. Its page n, from 1:

    shows "<name> page n" in a font file of its own, has the label i, ii, then 3, 4 …, the entry
    "<name> n" of the outline below the heading "<name>", the named destinations "p<n>" and /old<n>,
    a link to page n + 1 by name and to page 1 by an action, the field "group.f<n>" and a part of
    the paragraph that all pages share.
    """
    with pikepdf.new() as document:
        _Rich(document, page_count, name).add_all(language)
        saved = io.BytesIO()
        document.save(saved, static_id=True)
    return saved.getvalue()


class _Rich:
    def __init__(self, document: pikepdf.Pdf, page_count: int, name: str) -> None:
        self.document, self.name = document, name
        self.random = random.Random(name)  # noqa: S311 -- bytes that no filter makes smaller
        self.pages = [document.add_blank_page(page_size=(300, 200)).obj for _ in range(page_count)]
        self.structure = document.make_indirect(Dictionary(Type=Name.StructTreeRoot))
        self.top = self._element(self.structure, "Document")
        self.shared = self._element(self.top, "P")
        self.parents: list[Any] = []
        self.widgets: list[Any] = []

    def add_all(self, language: str) -> None:
        root = self.document.Root
        root.Lang = language
        root.MarkInfo = Dictionary(Marked=True)
        for index, page in enumerate(self.pages):
            self._add_content(index, page)
            self._add_annotations(index, page)
        self.structure.K = Array([self.top])
        self.structure.ParentTree = Dictionary(Nums=Array(self.parents))
        self.structure.RoleMap = Dictionary(Heading=Name.H1)
        root.StructTreeRoot = self.structure
        self._add_names(root)
        self._add_outline()
        self._add_form(root)
        root.PageLabels = Dictionary(
            Nums=Array([0, Dictionary(S=Name.r), 2, Dictionary(S=Name.D, St=3)])
        )
        layer = self.document.make_indirect(
            Dictionary(Type=Name.OCG, Name=String(f"Layer {self.name}"))
        )
        root.OCProperties = Dictionary(
            OCGs=Array([layer]), D=Dictionary(Order=Array([layer]), OFF=Array([layer]))
        )
        self.document.docinfo["/Title"] = f"Title {self.name}"
        with self.document.open_metadata() as metadata:
            metadata["dc:title"] = f"Title {self.name}"

    def _element(self, parent: Any, kind: str, **entries: Any) -> Any:
        element = self.document.make_indirect(
            Dictionary(Type=Name.StructElem, S=Name(f"/{kind}"), P=parent, K=Array(), **entries)
        )
        if parent is not self.structure:
            parent.K.append(element)
        return element

    def _add_content(self, index: int, page: Any) -> None:
        text = f"{self.name} page {index + 1}"
        page.Contents = self.document.make_stream(
            f"/H1 <</MCID 0>> BDC BT /F1 18 Tf 20 150 Td ({text}) Tj ET EMC\n"
            f"/P <</MCID 1>> BDC BT /F1 9 Tf 20 120 Td (of {self.name}) Tj ET EMC".encode()
        )
        font_file = self.document.make_stream(self.random.randbytes(_FONT_BYTES))
        page.Resources = Dictionary(
            Font=Dictionary(
                F1=Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
            ),
            Properties=Dictionary(Own=font_file),
        )
        heading = self._element(self.top, "Heading", Pg=page, ID=String(f"h{index + 1}"))
        heading.K.append(0)
        self.shared.K.append(Dictionary(Type=Name.MCR, Pg=page, MCID=1))
        page.StructParents = 2 * index
        self.parents += [2 * index, Array([heading, self.shared])]

    def _add_annotations(self, index: int, page: Any) -> None:
        following = f"p{(index + 1) % len(self.pages) + 1}"
        by_name = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Link,
            Rect=Array([20, 20, 60, 40]),
            Dest=String(following),
            StructParent=2 * index + 1,
        )
        by_action = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Link,
            Rect=Array([80, 20, 120, 40]),
            A=Dictionary(S=Name.GoTo, D=Array([self.pages[0], Name.Fit])),
        )
        widget = Dictionary(
            Type=Name.Annot,
            Subtype=Name.Widget,
            FT=Name.Tx,
            T=String(f"f{index + 1}"),
            V=String(f"value {self.name}{index + 1}"),
            Rect=Array([20, 60, 120, 80]),
            P=page,
        )
        annotations = [self.document.make_indirect(each) for each in (by_name, by_action, widget)]
        page.Annots = Array(annotations)
        self.widgets.append(annotations[2])
        link = self._element(self.top, "Link", Pg=page)
        link.K.append(Dictionary(Type=Name.OBJR, Obj=annotations[0], Pg=page))
        self.parents += [2 * index + 1, link]

    def _add_names(self, root: Any) -> None:
        names = [
            part
            for index, page in sorted(enumerate(self.pages), key=lambda each: f"p{each[0] + 1}")
            for part in (String(f"p{index + 1}"), Array([page, Name.Fit]))
        ]
        root.Names = Dictionary(Dests=Dictionary(Names=Array(names)))
        root.Dests = Dictionary(
            {f"/old{n}": Array([page, Name.Fit]) for n, page in enumerate(self.pages, start=1)}
        )
        self.document.attachments["notes.txt"] = f"notes of {self.name}".encode()
        self.structure.IDTree = Dictionary(
            Names=Array(
                [
                    part
                    for element in sorted(self.top.K, key=lambda each: str(each.get("/ID", "")))
                    if "/ID" in element
                    for part in (element.ID, element)
                ]
            )
        )

    def _add_outline(self) -> None:
        with self.document.open_outline() as outline:
            heading = pikepdf.OutlineItem(self.name)
            outline.root.append(heading)
            for index in range(len(self.pages)):
                item = pikepdf.OutlineItem(f"{self.name} {index + 1}", index, "Fit")
                item.children.append(
                    pikepdf.OutlineItem(f"{self.name} {index + 1} named", String(f"p{index + 1}"))
                )
                heading.children.append(item)

    def _add_form(self, root: Any) -> None:
        group = self.document.make_indirect(Dictionary(T=String("group"), Kids=Array(self.widgets)))
        for widget in self.widgets:
            widget.Parent = group
        root.AcroForm = Dictionary(
            Fields=Array([group]), DA=String("/Helv 9 Tf"), CO=Array(self.widgets)
        )
