"""Items of merged PDFs, small and made up, and their merging."""

import io
from collections.abc import Callable, Iterable
from typing import Any

import msgspec
import pikepdf
from pikepdf import Array, Dictionary, Name, String

from chalicelib.engine.combining.merged_pdf import append, finish
from chalicelib.engine.pdf.appending.merge_state import MergeState

type Change = Callable[[pikepdf.Pdf], object]


def font() -> Dictionary:
    return Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)


def item(*texts: str, change: Change | None = None) -> bytes:
    """Return a PDF with a page for each text, as the caller has changed it."""
    with pikepdf.new() as document:
        helvetica = document.make_indirect(font())
        for text in texts:
            page = document.add_blank_page(page_size=(200, 100))
            page.Contents = document.make_stream(f"BT /F1 12 Tf 9 9 Td ({text}) Tj ET".encode())
            page.obj.Resources = Dictionary(Font=Dictionary(F1=helvetica))
        if change is not None:
            change(document)
        saved = io.BytesIO()
        document.save(saved)
    return saved.getvalue()


def merge(items: Iterable[bytes], *, test: bool = False) -> bytes:
    """Return the merged PDF; the state is serialised before each item and before the end."""
    state, parts = MergeState(), []
    for index, content in enumerate(items):
        state = resumed(state)
        parts.append(append(state, content, f"Item {index + 1}", index))
    return b"".join(parts) + finish(resumed(state), test=test)


def resumed(state: MergeState) -> MergeState:
    return msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=MergeState)


def opened(content: bytes) -> pikepdf.Pdf:
    """Open a PDF; one with a fault fails."""
    document = pikepdf.open(io.BytesIO(content))
    assert document.check_pdf_syntax() == []
    return document


def tagged(name: str, /, *, key: int = 0, **root: Any) -> Change:
    """Return a change that makes one element of the first page's content."""

    def change(document: pikepdf.Pdf) -> None:
        page = document.pages[0].obj
        page.StructParents = key
        tree = document.make_indirect(Dictionary(Type=Name.StructTreeRoot, **root))
        element = document.make_indirect(
            Dictionary(Type=Name.StructElem, S=Name(f"/{name}"), Pg=page, K=0, ID=String("cell"))
        )
        parent = document.make_indirect(
            Dictionary(Type=Name.StructElem, S=Name.Document, P=tree, K=Array([element]))
        )
        element.P = parent
        element.A = Dictionary(O=Name.Table, Headers=Array([String("cell")]))
        tree.K = parent
        tree.ParentTree = Dictionary(Nums=Array([key, Array([element])]))
        tree.IDTree = Dictionary(Names=Array([String("cell"), element]))
        document.Root.StructTreeRoot = tree

    return change
