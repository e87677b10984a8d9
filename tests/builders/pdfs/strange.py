"""PDFs of all the kinds that are met, and those that are made to be misunderstood."""

import zlib
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, String

from tests.builders.pdfs.changed_pdf import changed
from tests.builders.pdfs.content import saved
from tests.builders.pdfs.forms import sample_form
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.raw_pdf import CATALOG, PAGE, PAGES, SOUND, packed_pdf, raw_pdf, raw_stream
from tests.builders.pdfs.rich_pdf import rich_pdf

_BOX: Final = b"/MediaBox [0 0 100 100]"


def _zeros(size: int) -> bytes:
    packer = zlib.compressobj(9)
    parts = [packer.compress(bytes(1_000_000)) for _ in range(size // 1_000_000)]
    return zlib.compress(b"".join(parts) + packer.flush(), 9)


def _with_page(entries: bytes, old: bytes = b"/Resources << >>") -> bytes:
    return raw_pdf({**SOUND, 3: PAGE.replace(old, entries)})


def _with_picture(entries: bytes, content: bytes) -> bytes:
    page = b"/Resources << /XObject << /X 5 0 R >> >> /Contents 4 0 R"
    picture = b"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 "
    return raw_pdf(
        {
            **SOUND,
            3: PAGE.replace(b"/Resources << >>", page),
            4: raw_stream(b"q 90 0 0 90 5 5 cm /X Do Q", b""),
            5: raw_stream(content, picture + entries),
        }
    )


def _jpx_of_size(side: int) -> bytes:
    size = side.to_bytes(4, "big")
    siz = b"\0\0" + size * 2 + bytes(8) + size * 2 + bytes(8) + b"\0\1\7\1\1"
    return b"\xff\x4f\xff\x51" + (len(siz) + 2).to_bytes(2, "big") + siz + b"\xff\x52\0\x0c" + b"\0"


def _jbig2_of_size(side: int) -> bytes:
    size = side.to_bytes(4, "big")
    return b"\0\0\0\0\x30\0\1\0\0\0\x13" + size * 2 + bytes(8) + b"\0\0\0"


def _signed_update() -> bytes:
    def sign(document: pikepdf.Pdf) -> None:
        value = Dictionary(
            Type=Name.Sig, Filter=Name("/Adobe.PPKLite"), ByteRange=Array([0, 10, 20, 10])
        )
        field = document.make_indirect(
            Dictionary(FT=Name.Sig, T=String("sig"), V=document.make_indirect(value))
        )
        document.Root.AcroForm = Dictionary(Fields=Array([field]), SigFlags=3)
        document.Root.Perms = Dictionary(DocMDP=value)

    content = changed(
        pdf(2), sign, object_stream_mode=pikepdf.ObjectStreamMode.disable, compress_streams=False
    )
    begin, size = content.rindex(b"xref\n0"), int(content.split(b"/Size ")[1].split()[0])
    out = content + b"%d 0 obj\n<< /Added true >>\nendobj\n" % size
    table = len(out)
    out += b"xref\n%d 1\n%010d 00000 n \n" % (size, len(content))
    root = content.split(b"/Root ")[1].split(b" ")[0]
    out += b"trailer\n<< /Size %d /Root %b 0 R /Prev %d >>\n" % (size + 1, root, begin)
    return out + b"startxref\n%d\n%%%%EOF\n" % table


def _hybrid() -> bytes:
    content = changed(rich_pdf(2), lambda _: None)
    table, at = int(content.rsplit(b"startxref\n", 1)[1].split()[0]), len(content)
    rows = raw_stream(b"\0" * 6, b"/Type /XRef /Size 1 /W [1 4 1]")
    out = content + b"900 0 obj\n%b\nendobj\n" % rows
    begin = len(out)
    out += b"xref\n0 0\ntrailer\n<< /Size 901 /Root 1 0 R /Prev %d /XRefStm %d >>\n" % (table, at)
    return out + b"startxref\n%d\n%%%%EOF\n" % begin


def _encrypted_strangely(handler: bytes) -> bytes:
    entries = b"/Filter /%b /V 9 /R 99 /Length 7 /O (x) /U (y) /P -1" % handler
    return raw_pdf(SOUND, b"/Encrypt << %b >> /ID [(a) (b)] " % entries)


def _root(**entries: Any) -> Callable[[], bytes]:
    def add(document: pikepdf.Pdf) -> None:
        for key, value in entries.items():
            document.Root[f"/{key}"] = value

    return lambda: changed(rich_pdf(2), add)


def _parsed(text: bytes) -> Object:
    return Object.parse(text)


def _lone_surrogates(document: pikepdf.Pdf) -> None:
    text = b"<FEFFD8000041DC00000D000A0007>"
    document.Root.Outlines.First.Title = _parsed(text)
    document.Root.Lang = _parsed(text)
    document.Root.AcroForm.Fields[0].T = _parsed(text)
    document.docinfo["/Title"] = _parsed(text)
    names = document.Root.Names.EmbeddedFiles
    while "/Kids" in names:
        names = names.Kids[0]
    names.Names[0] = _parsed(text)
    names.Names[1].F, names.Names[1].UF = _parsed(text), _parsed(text)
    del document.Root.Dests


def _long_names(document: pikepdf.Pdf) -> None:
    name = "n" * 200_000
    document.pages[0].Resources.Font.F1.BaseFont = Name(f"/{name}")
    document.Root.AcroForm.Fields[0].T = String(name)
    document.Root.Outlines.First.Title = String(name)
    document.pages[0].Annots.append(
        Dictionary(Type=Name.Annot, Subtype=Name(f"/{name}"), Rect=Array([0, 0, 9, 9]))
    )
    document.attachments[name] = b"x"


def _many_annotation_kinds(document: pikepdf.Pdf) -> None:
    for number in range(300):
        document.pages[0].Annots.append(
            Dictionary(Type=Name.Annot, Subtype=Name(f"/Own{number}"), Rect=Array([0, 0, 9, 9]))
        )


def _number_destinations(document: pikepdf.Pdf) -> None:
    document.Root.Dests = Dictionary({"/a": 1, "/b": Array([5, Name.Fit]), "/c": Array()})
    document.Root.OpenAction = 7
    document.Root.Outlines.First.First.Dest = Array([-1, Name.XYZ, 1e300, 0, 0])
    document.pages[0].Annots[0].Dest = 3
    document.pages[1].Annots[1].A.D = Array([2_000_000_000, Name.Fit])


def _wrong_font(document: pikepdf.Pdf) -> None:
    font = document.pages[0].Resources.Font.F1
    font.Subtype = Name.TrueType
    table = b"\0\1\0\0\0\2\0\0\0\0\0\0" + b"glyf" + b"\xff" * 12 + b"loca" + b"\xff" * 12
    font.FontDescriptor = document.make_indirect(
        Dictionary(
            Type=Name.FontDescriptor,
            FontName=Name.X,
            Flags=-1,
            FontBBox=Array([1]),
            FontFile2=document.make_stream(table),
        )
    )
    font.Widths, font.FirstChar, font.LastChar = Array([Name.X] * 3), -5, 2_000_000_000
    font.Encoding = Dictionary(Differences=Array([-7, Name.a, 300, Name.b, Name.c]))
    font.ToUnicode = document.make_stream(b"1 beginbfrange <00> <FFFFFFFF> <0041> endbfrange")


def _rich_media(document: pikepdf.Pdf) -> None:
    for kind in ("RichMedia", "3D", "Screen", "Movie", "Sound", "FileAttachment"):
        document.pages[0].Annots.append(
            Dictionary(
                Type=Name.Annot,
                Subtype=Name(f"/{kind}"),
                Rect=Array([0, 0, 50, 50]),
                RichMediaContent=Dictionary(Assets=Dictionary(Names=Array([String("a"), 1]))),
                A=Dictionary(S=Name.Rendition, OP=0),
            )
        )


def _swollen_attachment(size: int, document: pikepdf.Pdf) -> None:
    stream = document.make_stream(b"")
    stream.write(_zeros(size), filter=Array([Name.FlateDecode] * 2))
    document.attachments["zeros.bin"] = b""
    tree = document.Root.Names.EmbeddedFiles
    while "/Kids" in tree:
        tree = tree.Kids[0]
    for number in range(1, len(tree.Names), 2):
        tree.Names[number].EF.F = stream


def _nested_forms(document: pikepdf.Pdf) -> None:
    form = document.make_stream(b"0 0 1 1 re f", Type=Name.XObject, Subtype=Name.Form)
    form.BBox = Array([0, 0, 1, 1])
    for _ in range(300):
        outer = document.make_stream(b"/X Do", Type=Name.XObject, Subtype=Name.Form)
        outer.BBox, outer.Resources = form.BBox, Dictionary(XObject=Dictionary(X=form))
        form = outer
    document.pages[0].Resources.XObject = Dictionary(X=form)
    document.pages[0].Contents = document.make_stream(b"/X Do")


def _layers(document: pikepdf.Pdf) -> None:
    layers = document.Root.OCProperties
    layers.OCGs.append(layers.OCGs[0])
    layers.OCGs.append(5)
    layers.D.Order = Array([Array([String("group"), layers.OCGs[0], Array([7])])])
    layers.Configs = Array([Dictionary(), 3, layers.D])
    layers.D.AS = Array([Dictionary(Event=Name.Export, OCGs=5)])


def _objects(change: Callable[[pikepdf.Pdf], None], **save: Any) -> Callable[[], bytes]:
    return lambda: changed(rich_pdf(2), change, **save)


def _nothing(_: pikepdf.Pdf) -> None: ...


def _deep_kids() -> bytes:
    levels = 3_000
    nodes = {n: b"<< /Type /Pages /Count 1 /Kids [%d 0 R] >>" % (n + 1) for n in range(2, levels)}
    return raw_pdf({1: CATALOG, **nodes, levels: PAGE})


def _extends_loop() -> bytes:
    filters = b"/Type /ObjStm /N 1 /First 4 /Extends 4 0 R"
    return packed_pdf(raw_stream(b"2 0 " + PAGES, filters))


def _object_stream_bomb(size: int) -> bytes:
    filters = b"/Type /ObjStm /N 1 /First 10 /Filter [/FlateDecode /FlateDecode]"
    return packed_pdf(raw_stream(_zeros(size), filters))


def _swollen_picture(size: int) -> bytes:
    filters = b"/Width %d /Height 20000 /Filter [/FlateDecode /FlateDecode]" % (size // 20_000)
    return _with_picture(filters, _zeros(size))


def _previous_loop() -> bytes:
    content = raw_pdf(SOUND)
    return raw_pdf(SOUND, trailer=b"/Prev %d " % content.rindex(b"xref\n0"))


def _cross_reference_loop() -> bytes:
    content = packed_pdf(raw_stream(b"2 0 " + PAGES, b"/Type /ObjStm /N 1 /First 4"))
    place = content.rindex(b"5 0 obj")
    return content.replace(b"/Root 1 0 R", b"/Root 1 0 R /Prev %d /XRefStm %d" % (place, place))


def _same_numbers() -> bytes:
    other = PAGE.replace(b"100 100", b"9 9")
    return raw_pdf(SOUND, before=raw_pdf({**SOUND, 3: other}) + b"3 0 obj\n" + other + b"endobj\n")


def _without_size() -> bytes:
    return raw_pdf(SOUND).replace(b"/Size 4", b"").replace(b"startxref", b"startxref\n1")


KINDS: Final[Mapping[str, Callable[[], bytes]]] = {
    "linearised": _objects(_nothing, linearize=True),
    "object_streams": _objects(_nothing, object_stream_mode=pikepdf.ObjectStreamMode.generate),
    "hybrid": _hybrid,
    "signed_update": _signed_update,
    "xfa": lambda: changed(
        pdf(2, field="name"),
        lambda document: document.Root.AcroForm.__setitem__("/XFA", Array([String("a"), 3])),
    ),
    "portfolio": _root(Collection=Dictionary(View=Name.T, D=String("none"), Schema=3)),
    "rich_media": _objects(_rich_media),
    "page_labels": _root(PageLabels=Dictionary(Nums=Array([0, 1, -5, Dictionary(), 9**9, Name.X]))),
    "named_destinations": _root(Names=Dictionary(Dests=Dictionary(Names=Array([String("a")])))),
    "number_destinations": _objects(_number_destinations),
    "nested_forms": _objects(_nested_forms),
    "optional_content": _objects(_layers),
    "missing_appearances": lambda: saved(sample_form()),
    "wrong_xref": lambda: raw_pdf(SOUND).replace(b"\nxref\n", b"\nfool\n"),
    "many_pages": lambda: pdf(3_000),
    "xref_loop": _cross_reference_loop,
    "previous_loop": _previous_loop,
    "extends_loop": _extends_loop,
    "strange_handler": lambda: _encrypted_strangely(b"Strange"),
    "strange_revision": lambda: _encrypted_strangely(b"Standard"),
    "huge_picture": lambda: _with_picture(b"/Width 60000 /Height 60000", b"x"),
    "jpx_bomb": lambda: _with_picture(
        b"/Width 60000 /Height 60000 /Filter /JPXDecode", _jpx_of_size(60_000)
    ),
    "jbig2_bomb": lambda: _with_picture(
        b"/Width 60000 /Height 60000 /Filter /JBIG2Decode", _jbig2_of_size(60_000)
    ),
    "deep_kids": _deep_kids,
    "long_names": _objects(_long_names),
    "lone_surrogates": _objects(_lone_surrogates),
    "many_annotation_kinds": _objects(_many_annotation_kinds),
    "wrong_font": _objects(_wrong_font),
    "no_area": lambda: _with_page(b"/MediaBox [0 0 0 0]", _BOX),
    "negative_box": lambda: _with_page(b"/MediaBox [100 100 -100 -100]", _BOX),
    "infinite_box": lambda: _with_page(b"/MediaBox [0 0 " + b"9" * 400 + b" inf]", _BOX),
    "nan_box": lambda: _with_page(b"/MediaBox [nan nan 1e999 (x)]", _BOX),
    "crop_outside": lambda: _with_page(b"/CropBox [900 900 950 950] /Resources << >>"),
    "skew": lambda: _with_page(b"/Rotate 45 /Resources << >>"),
    "huge_unit": lambda: _with_page(b"/UserUnit 1000000000 /Resources << >>"),
    "negative_unit": lambda: _with_page(b"/UserUnit -1 /Resources << >>"),
    "same_numbers": _same_numbers,
    "without_size": _without_size,
}

# Documents whose content unpacks to many bytes: that of a process of a gigabyte and a half.
SWOLLEN: Final[Mapping[str, tuple[Callable[[int], bytes], int]]] = {
    "object_stream_bomb": (_object_stream_bomb, 1_000 * 1_000_000),
    "swollen_picture": (_swollen_picture, 400 * 1_000_000),
    "swollen_attachment": (
        lambda size: changed(rich_pdf(2), partial(_swollen_attachment, size)),
        100 * 1_000_000,
    ),
}
