"""PDFs with parts that PDF/A forbids, which a conversion can remove or replace."""

import io
import zlib
from collections.abc import Callable
from typing import Final

import pikepdf
from pikepdf import Array, Dictionary, Name, Object, Stream, String

from chalicelib.engine.pdf.archive.cmyk_profile import cmyk_profile

type Change = Callable[[pikepdf.Pdf], None]

TEXT: Final = b"BT /F 18 Tf 30 700 Td (Quick \344\366\374 fox) Tj ET\n"


def base_font(name: str = "Helvetica", encoding: Object = Name.WinAnsiEncoding) -> Dictionary:
    return Dictionary(
        Type=Name.Font, Subtype=Name.Type1, BaseFont=Name(f"/{name}"), Encoding=encoding
    )


def document(*changes: Change, content: bytes = TEXT, font: Dictionary | None = None) -> bytes:
    """Return a document of one page, changed."""
    with pikepdf.new() as pdf:
        pdf.add_blank_page(page_size=(595, 842))
        page = pdf.pages[0]
        page.obj.Resources = Dictionary(Font=Dictionary(F=font or base_font()))
        page.obj.Contents = Stream(pdf, content)
        for change in changes:
            change(pdf)
        return saved(pdf)


def saved(pdf: pikepdf.Pdf, *, owner: str | None = None, user: str = "") -> bytes:
    """Return a document as bytes, encrypted where it has an owner password."""
    result = io.BytesIO()
    if owner is None:
        pdf.save(
            result,
            deterministic_id=True,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.none,
        )
    else:
        pdf.save(result, encryption=pikepdf.Encryption(owner=owner, user=user))
    return result.getvalue()


def locked(content: bytes, *, owner: str = "owner", user: str = "user") -> bytes:
    with pikepdf.open(io.BytesIO(content)) as pdf:
        return saved(pdf, owner=owner, user=user)


def add_scripts(pdf: pikepdf.Pdf) -> None:
    script = Dictionary(S=Name.JavaScript, JS=String("app.alert(1)"))
    launch = Dictionary(S=Name.Launch, F=String("calc.exe"))
    pdf.Root.OpenAction = Dictionary(
        S=Name.GoTo, D=Array([pdf.pages[0].obj, Name.Fit]), Next=script
    )
    pdf.Root.AA = Dictionary(WC=script)
    pdf.Root.Names = Dictionary(
        JavaScript=Dictionary(Names=Array([String("a"), pdf.make_indirect(script)]))
    )
    pdf.pages[0].obj.AA = Dictionary(O=script)
    _annotate(pdf, Dictionary(Subtype=Name.Link, A=launch), Dictionary(Subtype=Name.Link, A=script))


def add_media(pdf: pikepdf.Pdf) -> None:
    _annotate(
        pdf,
        Dictionary(Subtype=Name.Movie, Movie=Dictionary(F=String("a.mov"))),
        Dictionary(Subtype=Name.Screen),
        Dictionary(Subtype=Name("/3D")),
        Dictionary(Subtype=Name.Sound, Sound=Stream(pdf, b"\0", R=8000)),
    )


def add_annotations(pdf: pikepdf.Pdf) -> None:
    kinds = ("Text", "Highlight", "Underline", "Square", "Circle", "FreeText", "Stamp")
    _annotate(
        pdf,
        *(
            Dictionary(
                Subtype=Name(f"/{kind}"),
                Contents=String(kind),
                C=Array([1, 1, 0]),
                DA=String("/Helv 10 Tf 0 g"),
            )
            for kind in kinds
        ),
        Dictionary(Subtype=Name.Square, F=2, Contents=String("hidden")),
        Dictionary(Subtype=Name.Popup),
    )


def add_form(pdf: pikepdf.Pdf) -> None:
    """Fields without appearances, XFA and actions."""
    action = Dictionary(S=Name.JavaScript, JS=String("1"))
    fields = [
        Dictionary(FT=Name.Tx, T=String("name"), V=String("Ada"), AA=Dictionary(K=action)),
        Dictionary(
            FT=Name.Ch, T=String("list"), V=String("a"), Ff=1 << 17, Opt=Array([String("a")])
        ),
        Dictionary(FT=Name.Btn, T=String("box"), V=Name.Yes, AS=Name.Yes),
        Dictionary(FT=Name.Btn, T=String("push"), Ff=1 << 16, A=action),
        Dictionary(FT=Name.Sig, T=String("sign"), V=Dictionary(Type=Name.Sig, Contents=b"1")),
        Dictionary(FT=Name.Tx, T=String("secret"), V=String("x"), F=2),
    ]
    for field in fields:
        field.Subtype = Name.Widget
        field.DA = String("/Helv 12 Tf 0 g")
    _annotate(pdf, *fields)
    pdf.Root.AcroForm = Dictionary(
        Fields=Array(list(pdf.pages[0].obj.Annots)),
        NeedAppearances=True,
        SigFlags=3,
        XFA=Stream(pdf, b"<xdp/>"),
        DA=String("/Helv 0 Tf 0 g"),
        DR=Dictionary(Font=Dictionary(Helv=pdf.make_indirect(base_font()))),
    )


def _annotate(pdf: pikepdf.Pdf, *annotations: Dictionary) -> None:
    page = pdf.pages[0].obj
    added = []
    for number, annotation in enumerate(annotations):
        annotation.Type = Name.Annot
        annotation.Rect = Array([30, 100 + 40 * number, 130, 120 + 40 * number])
        left, bottom, right, top = annotation.Rect
        annotation.QuadPoints = Array([left, top, right, top, left, bottom, right, bottom])
        annotation.P = page
        added.append(pdf.make_indirect(annotation))
    page.Annots = Array([*page.get("/Annots", ()), *added])


def add_attachments(pdf: pikepdf.Pdf) -> None:
    for name in ("b.txt", "a.txt"):
        pdf.attachments[name] = b"text"
    pdf.Root.AF = Array([pdf.attachments["a.txt"].obj])
    file = Dictionary(F=String("c.bin"), EF=Dictionary(F=Stream(pdf, b"\0")))
    _annotate(pdf, Dictionary(Subtype=Name.FileAttachment, FS=pdf.make_indirect(file)))


def add_layers(pdf: pikepdf.Pdf) -> None:
    groups = [
        pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String(name))) for name in ("one", "two")
    ]
    automatic = Dictionary(Event=Name.View, OCGs=Array(groups), Category=Array([Name.View]))
    pdf.Root.OCProperties = Dictionary(
        OCGs=Array(groups), D=Dictionary(Order=Array([groups[0]]), AS=Array([automatic]))
    )


def add_pictures(pdf: pikepdf.Pdf) -> None:
    """Pictures of all device colours, one with another version of itself."""
    picture = {"Type": Name.XObject, "Subtype": Name.Image, "Width": 2, "Height": 2}
    picture |= {"BitsPerComponent": 8, "Interpolate": True}
    grey = Stream(pdf, bytes(4), ColorSpace=Name.DeviceGray, **picture)
    rgb = Stream(pdf, bytes(12), ColorSpace=Name.DeviceRGB, **picture)
    rgb.Alternates = Array([Dictionary(Image=pdf.make_indirect(grey))])
    rgb.Intent = Name.Pretty
    resources = pdf.pages[0].obj.Resources
    resources.XObject = Dictionary(G=grey, R=rgb)
    resources.ExtGState = Dictionary(S=Dictionary(TR=Name.Identity, BM=Name.Multiply, ca=0.5))
    pdf.pages[0].contents_add(
        b"/S gs q 50 0 0 50 30 500 cm /G Do Q q 50 0 0 50 90 500 cm /R Do Q\n"
    )


def add_cmyk(pdf: pikepdf.Pdf) -> None:
    """Four inks as colour, in a picture, as alternate of a spot colour and of a group."""
    picture = Stream(
        pdf,
        bytes(range(16)),
        Type=Name.XObject,
        Subtype=Name.Image,
        Width=2,
        Height=2,
        BitsPerComponent=8,
        ColorSpace=Name.DeviceCMYK,
    )
    tint = Dictionary(FunctionType=2, Domain=[0, 1], C0=[0, 0, 0, 0], C1=[0, 1, 1, 0], N=1)
    resources = pdf.pages[0].obj.Resources
    resources.XObject = Dictionary(C=picture)
    resources.ColorSpace = Dictionary(
        P=Array([Name.Separation, Name("/Spot"), Name.DeviceCMYK, tint])
    )
    pdf.pages[0].obj.Group = Dictionary(Type=Name.Group, S=Name.Transparency, CS=Name.DeviceCMYK)
    pdf.pages[0].contents_add(
        b"0 1 0 0 k 30 400 50 50 re f /P cs 1 scn 90 400 50 50 re f\n"
        b"q 50 0 0 50 150 400 cm /C Do Q\n"
    )


def pack_with_lzw(pdf: pikepdf.Pdf) -> None:
    """Content as LZW, whose codes are the bytes themselves between two clearings."""
    codes, bits = [256], ""
    for byte in pdf.pages[0].obj.Contents.read_bytes():
        codes += [byte, 256]
    for code in (*codes, 257):
        bits += f"{code:09b}"
    bits += "0" * (-len(bits) % 8)
    packed = int(bits, 2).to_bytes(len(bits) // 8)
    pdf.pages[0].obj.Contents = Stream(pdf, packed, Filter=Name.LZWDecode)


def add_metadata(pdf: pikepdf.Pdf) -> None:
    """Metadata of a schema that nobody described, and of a part."""
    with pdf.open_metadata(set_pikepdf_as_editor=False) as metadata:
        metadata["dc:creator"] = ["Ada"]
        metadata.register_xml_namespace("http://example.com/ns/", "ex")
        metadata["ex:Thing"] = "other"
    # Afterwards, as pikepdf makes both agree.
    del pdf.docinfo["/Author"]
    pdf.docinfo["/Title"] = "Titel <&>"
    pdf.docinfo["/CreationDate"] = "D:20240229120000+01'00'"
    pdf.docinfo["/Custom"] = "x"
    pdf.pages[0].obj.Metadata = Stream(pdf, b"<broken", Type=Name.Metadata, Subtype=Name.XML)
    pdf.pages[0].obj.PieceInfo = Dictionary(App=Dictionary(LastModified=String("D:2024")))


def bomb_stream(pdf: pikepdf.Pdf, size: int) -> Stream:
    """Return a stream that unpacks to `size` zeros."""
    return Stream(pdf, zlib.compress(bytes(size), 9), Filter=Name.FlateDecode)


def composite_font(pdf: pikepdf.Pdf) -> None:
    """Text in a composite font that is not embedded, Latin and Japanese."""
    entries = "\n".join(f"<{ord(c):04X}> <{ord(c):04X}>" for c in "Quick 漢字")
    mapping = (
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange 8 beginbfchar\n{entries}\nendbfchar"
    )
    system = Dictionary(Registry=String("Adobe"), Ordering=String("Identity"), Supplement=0)
    descendant = Dictionary(
        Type=Name.Font,
        Subtype=Name.CIDFontType2,
        BaseFont=Name("/MSGothic"),
        CIDSystemInfo=system,
        DW=1000,
        W=Array([32, Array([300]), 65, 122, 550]),
    )
    pdf.pages[0].obj.Resources.Font.F = pdf.make_indirect(
        Dictionary(
            Type=Name.Font,
            Subtype=Name.Type0,
            BaseFont=Name("/MSGothic"),
            Encoding=Name("/Identity-H"),
            DescendantFonts=Array([pdf.make_indirect(descendant)]),
            ToUnicode=Stream(pdf, mapping.encode()),
        )
    )
    text = "Quick 漢字".encode("utf-16-be").hex().encode()
    pdf.pages[0].obj.Contents = Stream(pdf, b"BT /F 18 Tf 30 700 Td <%s> Tj ET" % text)


def different_names(pdf: pikepdf.Pdf) -> None:
    """A font whose codes are named one by one, with widths of another typeface."""
    names = [81, Name.Euro, Name("/uni0416"), 120, Name("/f_i"), Name.ohungarumlaut]
    encoding = Dictionary(BaseEncoding=Name.WinAnsiEncoding, Differences=Array(names))
    font = base_font("Garamond-Bold", encoding)
    font.FirstChar, font.LastChar, font.Widths = 32, 255, Array([520] * 224)
    pdf.pages[0].obj.Resources.Font.F = font


def inherit_resources(pdf: pikepdf.Pdf) -> None:
    """Resources of the page tree, and a form that has none of its own."""
    page = pdf.pages[0].obj
    form = Stream(pdf, TEXT, Type=Name.XObject, Subtype=Name.Form, BBox=[0, 0, 595, 842])
    page.Resources.XObject = Dictionary(X=form)
    pdf.Root.Pages.Resources = page.Resources
    del page["/Resources"]
    page.Contents = Stream(pdf, TEXT + b" q 1 0 0 1 0 -100 cm /X Do Q")


def add_print_intent(pdf: pikepdf.Pdf) -> None:
    """Colours of four inks and of screens, with a profile of the inks."""
    add_cmyk(pdf)
    profile = Stream(pdf, cmyk_profile().replace(b"scnr", b"prtr"), N=4)
    intent = Dictionary(Type=Name.OutputIntent, S=Name.GTS_PDFX, DestOutputProfile=profile)
    pdf.Root.OutputIntents = Array([intent])
    page = pdf.pages[0]
    page.contents_add(b" 1 0 0 rg 0 0 9 9 re f")
