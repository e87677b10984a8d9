"""PDFs that are made to do harm: they swell, loop, or take for ever to draw."""

import io
import zlib
from functools import cache

import pikepdf

from tests.builders.pdfs.plain import pdf

_MEGABYTE = 1_000_000


def _saved(document: pikepdf.Pdf) -> bytes:
    target = io.BytesIO()
    document.save(target, compress_streams=False)
    return target.getvalue()


@cache
def swelling(megabytes: int) -> bytes:
    """Return a PDF of some KB whose page content unpacks to megabytes of blanks."""
    packer = zlib.compressobj(9)
    once = b" " * _MEGABYTE
    packed = b"".join(packer.compress(once) for _ in range(megabytes))
    packed += packer.flush()
    # Packed once more, because runs of zeros are left.
    twice = zlib.compress(packed, 9)
    with pikepdf.open(io.BytesIO(pdf(1))) as document:
        stream = document.make_stream(b"")
        stream.write(twice, filter=pikepdf.Array([pikepdf.Name.FlateDecode] * 2))
        document.pages[0].Contents = stream
        return _saved(document)


def endless_drawing(levels: int = 12) -> bytes:
    """Return a PDF whose page draws a form ten times, which draws another ten times, and so on."""
    with pikepdf.open(io.BytesIO(pdf(1))) as document:
        form = document.make_stream(b"0 0 10 10 re f")
        form.Type, form.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
        form.BBox = [0, 0, 100, 100]
        for _ in range(levels):
            outer = document.make_stream(b"/X Do " * 10)
            outer.Type, outer.Subtype = pikepdf.Name.XObject, pikepdf.Name.Form
            outer.BBox = [0, 0, 100, 100]
            outer.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
            form = outer
        page = document.pages[0]
        page.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary(X=form))
        page.Contents = document.make_stream(b"/X Do")
        return _saved(document)


def page_tree_loop() -> bytes:
    """Return a PDF whose page tree contains itself."""
    with pikepdf.open(io.BytesIO(pdf(1))) as document:
        tree = document.Root.Pages
        tree.Kids.append(tree)
        tree.Count = 2
        return _saved(document)


def own_parent() -> bytes:
    """Return a PDF whose outline, field and structure element name themselves as parent and kid."""
    with pikepdf.open(io.BytesIO(pdf(2, field="name"))) as document:
        entry = document.make_indirect(pikepdf.Dictionary(Title="Loop"))
        entry.Parent, entry.Next, entry.First, entry.Last = entry, entry, entry, entry
        document.Root.Outlines = document.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.Outlines, First=entry, Last=entry, Count=1)
        )
        field = document.Root.AcroForm.Fields[0]
        field.Parent, field.Kids = field, pikepdf.Array([field])
        element = document.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.StructElem, S=pikepdf.Name.P)
        )
        element.P, element.K = element, pikepdf.Array([element])
        document.Root.StructTreeRoot = document.make_indirect(
            pikepdf.Dictionary(Type=pikepdf.Name.StructTreeRoot, K=element)
        )
        return _saved(document)


def lying_count(count: int = 2_000_000_000) -> bytes:
    """Return a PDF of one page whose tree claims to have many."""
    with pikepdf.open(io.BytesIO(pdf(1))) as document:
        document.Root.Pages.Count = count
        return _saved(document)


def lying_lengths() -> bytes:
    """Return a PDF whose streams claim other lengths than they have."""
    return pdf(2).replace(b"/Length ", b"/Length 9")


def deep_nesting(levels: int = 100_000) -> bytes:
    """Return a PDF with an array inside an array, and so on."""
    content = pdf(1)
    deep = b"[" * levels + b"]" * levels
    return content.replace(b"/Type /Catalog", b"/Deep " + deep + b" /Type /Catalog")


def cut_in_the_middle() -> bytes:
    """Return the first half of a PDF."""
    content = pdf(3)
    return content[: len(content) // 2]
