"""Warm-up of the worker: the sandbox opens no files, so each tool runs once before.

Libraries load modules, codecs, ciphers and data when they first need them.
"""

import codecs
import contextlib
import io
from typing import Final

import pikepdf
from PIL import Image

from chalicelib.contract.options import pdf_tools as options
from chalicelib.contract.options.pdf import Attachment, DocumentInfo, Watermark
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.pdf.archive.identification import srgb_profile
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools import tool_by_name
from chalicelib.engine.pdf_tools.tool import MARK, ToolInput

_ENCODINGS: Final = (
    *("ascii", "latin_1", "cp1252", "mac_roman", "unicode_escape", "idna", "punycode"),
    *("utf_8_sig", "utf_16", "utf_16_le", "utf_16_be", "utf_32", "utf_32_le", "utf_32_be"),
)
_PASSWORD: Final = "warm"  # noqa: S105 -- of a document without content
_ALL: Final[tuple[options.AnyToolOptions, ...]] = (
    options.MergeOptions(),
    options.MergeOptions(bookmarks=True),
    options.SplitOptions(),
    options.SplitOptions(zip=True),
    options.ExtractPagesOptions("1"),
    options.DeletePagesOptions("1"),
    options.RotateOptions(90),
    options.ReorderOptions((2, 1)),
    options.WatermarkOptions(Watermark("x")),
    options.StampOptions(options.Stamp("x")),
    options.ProtectOptions(_PASSWORD),
    options.UnlockOptions(),
    options.MetadataOptions(DocumentInfo("x", "x", "x", ("x",), "en")),
    options.MetadataOptions(),
    options.AttachOptions((Attachment(content="", filename="a.txt"),)),
    options.FlattenOptions(),
    options.FillFormOptions({"text": "x", "box": True}),
    options.CompressOptions(),
    options.ToImagesOptions("png", 36),
    options.ToImagesOptions("jpeg", 36),
    options.ToImagesOptions("webp", 36),
    options.ToTextOptions(),
    options.PdfaOptions("3b"),
    options.ValidateOptions(),
    options.CompareOptions(36),
)


def warm_up() -> None:
    """Run every tool on small documents of this module."""
    for name in _ENCODINGS:
        codecs.lookup(name)
    Image.init()
    srgb_profile()
    _read_damaged_metadata()
    mark = _sample()
    for content, password in ((mark, None), (_sample(_PASSWORD), _PASSWORD)):
        source = UnopenedPdf(content, password, "/source")
        for each in _ALL:
            takes_two = isinstance(each, options.MergeOptions | options.CompareOptions)
            sources = [source] * 2 if takes_two else [source]
            tool_input: ToolInput[options.ToolOptions] = ToolInput(
                each, sources, {MARK: mark, "/attachments/0": b"x"}, test=password is None
            )
            with contextlib.suppress(RenderFailure):
                tool_by_name(each.tool).load()(tool_input)


def _sample(password: str = "") -> bytes:
    """Return a PDF of two pages with text, metadata, an attachment, an outline and a form."""
    name, target = pikepdf.Name, io.BytesIO()
    with pikepdf.new() as document:
        font = pikepdf.Dictionary(Type=name.Font, Subtype=name.Type1, BaseFont=name.Helvetica)
        for _ in range(2):
            page = document.add_blank_page(page_size=(50, 50))
            page.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
            page.Contents = document.make_stream(b"BT /F1 9 Tf (a b) Tj ET")
        with document.open_outline() as outline:
            outline.root.append(pikepdf.OutlineItem("x", 0))
        with document.open_metadata() as metadata:
            metadata["dc:title"] = "x"
        _attach_file(document)
        _add_form(document, font)
        encryption = pikepdf.Encryption(owner=password, user=password) if password else False
        document.save(target, encryption=encryption)
    return target.getvalue()


def _read_damaged_metadata() -> None:
    """Load the modules that read dates and mend XML."""
    with pikepdf.new() as document:
        document.docinfo["/CreationDate"] = "D:20000101000000+00'00'"
        for packet in (b"<damaged", b""):
            document.Root.Metadata = document.make_stream(packet)
            with document.open_metadata(set_pikepdf_as_editor=False) as xmp:
                xmp.load_from_docinfo(document.docinfo)


def _attach_file(document: pikepdf.Pdf) -> None:
    document.attachments["a.txt"] = pikepdf.AttachedFileSpec(
        document,
        b"x",
        filename="a.txt",
        description="x",
        mime_type="text/plain",
        creation_date="",
        mod_date="",
    )


def _add_form(document: pikepdf.Pdf, font: pikepdf.Dictionary) -> None:
    name, page = pikepdf.Name, document.pages[0]
    fields = [
        document.make_indirect(
            pikepdf.Dictionary(
                Type=name.Annot,
                Subtype=name.Widget,
                F=4,
                P=page.obj,
                FT=kind,
                T=title,
                DA="/F1 9 Tf",
                Rect=[left, 0, left + 20, 10],
            )
        )
        for title, kind, left in (("text", name.Tx, 0), ("box", name.Btn, 20))
    ]
    page.obj.Annots = pikepdf.Array(fields)
    document.Root.AcroForm = pikepdf.Dictionary(
        Fields=fields, DA="/F1 9 Tf", DR=pikepdf.Dictionary(Font={"/F1": font})
    )
