"""Warm-up of the worker: the sandbox opens no files, so each library loads what it needs before."""

import codecs
import io

import pikepdf
import pypdfium2
from PIL import Image

_ENCODINGS = ("ascii", "latin_1", "cp1252", "mac_roman", "utf_16", "utf_16_be", "utf_32")


def warm_up() -> None:
    """Load codecs, ciphers, picture plug-ins and fonts of all libraries."""
    for name in _ENCODINGS:
        codecs.lookup(name)
    Image.init()
    content = _encrypted_pdf()
    with pikepdf.open(io.BytesIO(content)) as document:
        len(document.pages)
        _read_and_write_metadata(document)
    rendered = pypdfium2.PdfDocument(content)
    rendered[0].render(scale=1).to_pil()
    rendered.close()


def _read_and_write_metadata(document: pikepdf.Pdf) -> None:
    """Load the XML parser, and what reads dates."""
    document.docinfo["/CreationDate"] = "D:20000101000000+00'00'"
    for packet in (b"<damaged", b""):
        document.Root.Metadata = document.make_stream(packet)
        with document.open_metadata(set_pikepdf_as_editor=False) as xmp:
            xmp.load_from_docinfo(document.docinfo)
            xmp["dc:title"] = "x"


def _encrypted_pdf() -> bytes:
    document = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(document, encryption=pikepdf.Encryption(owner="", user=""))
    return document.getvalue()
