"""XMP metadata of an archived document, made of its Info dictionary and its XMP (6.6)."""

import re
from collections.abc import Mapping
from typing import Final

import pikepdf

from chalicelib.core.text import NOT_IN_XML
from chalicelib.engine.pdf.archive.identification import add_identification
from chalicelib.engine.pdf.document.attachments import InvoiceFile
from chalicelib.engine.pdf.document.claims import claimed_profiles
from chalicelib.engine.pdf.document.metadata import set_xmp, xmp_array, xmp_property

_MAX_PACKET_BYTES: Final = 2_000_000
_DATE: Final = re.compile(
    r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:(Z)|([+-])(\d\d)'?(\d\d)?'?)?"
)
_FACTURX: Final = "{urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#}"
_READ_PROPERTIES: Final = (
    *("dc:title", "dc:creator", "dc:description", "dc:subject", "dc:rights"),
    *("pdf:Keywords", "pdf:Producer", "xmp:CreatorTool", "xmp:CreateDate", "xmp:ModifyDate"),
    *(f"{_FACTURX}{name}" for name in ("DocumentFileName", "ConformanceLevel", "Version")),
)
_XMP_DATE: Final = re.compile(
    r"\d{4}(-\d\d(-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?)?)?"
)

type _Packet = Mapping[str, object]


def describe_document(document: pikepdf.Pdf, level: str) -> None:
    """Write the metadata anew, with the claim of a part and level.

    Properties of other schemas leave: PDF/A wants each of them described.
    """
    packet = _read_packet(document)
    _, has_pdfua = claimed_profiles(document)
    info = {
        key: NOT_IN_XML.sub("", str(value)).strip()
        for key, value in document.docinfo.items()
        if isinstance(value, str | pikepdf.String | pikepdf.Name)
    }

    def text(key: str, name: str) -> str | None:
        return info.get(key) or _first(packet.get(name))

    set_xmp(
        document,
        xmp_property("dc:format", "application/pdf"),
        xmp_array("dc:title", "Alt", [text("/Title", "dc:title")]),
        xmp_array("dc:creator", "Seq", [text("/Author", "dc:creator")]),
        xmp_array("dc:description", "Alt", [text("/Subject", "dc:description")]),
        xmp_array("dc:subject", "Bag", _texts(packet.get("dc:subject"))),
        xmp_array("dc:rights", "Alt", [_first(packet.get("dc:rights"))]),
        xmp_array("dc:language", "Bag", [_language(document)]),
        xmp_property("pdf:Keywords", text("/Keywords", "pdf:Keywords")),
        xmp_property("pdf:Producer", text("/Producer", "pdf:Producer")),
        xmp_property("xmp:CreatorTool", text("/Creator", "xmp:CreatorTool")),
        xmp_property("xmp:CreateDate", _date(info.get("/CreationDate"), packet, "CreateDate")),
        xmp_property("xmp:ModifyDate", _date(info.get("/ModDate"), packet, "ModifyDate")),
    )
    invoice = _invoice(packet) if level.startswith("3") else None
    add_identification(document, pdfa=level, pdfua=has_pdfua, invoice=invoice)


def _read_packet(document: pikepdf.Pdf) -> _Packet:
    """Return the properties of the document's XMP; none if it is damaged."""
    stream = document.Root.get("/Metadata")
    if not isinstance(stream, pikepdf.Stream):
        return {}
    try:
        if len(stream.read_bytes()) > _MAX_PACKET_BYTES:
            return {}
        # `open_metadata` without `with` changes nothing.
        metadata = document.open_metadata()
        return {name: metadata[name] for name in _READ_PROPERTIES if name in metadata}
    except (pikepdf.PdfError, LookupError, SyntaxError, TypeError, ValueError):
        return {}


def _first(value: object) -> str | None:
    return next(iter(_texts(value)), None)


def _texts(value: object) -> list[str]:
    values = [value] if isinstance(value, str) else value if isinstance(value, list | set) else []
    texts = [NOT_IN_XML.sub("", str(each)).strip() for each in values]
    return [*dict.fromkeys(sorted(texts) if isinstance(value, set) else texts)]


def _language(document: pikepdf.Pdf) -> str | None:
    language = document.Root.get("/Lang")
    return str(language) if isinstance(language, pikepdf.String | str) and str(language) else None


def _date(date: str | None, packet: _Packet, name: str) -> str | None:
    """Return a date of XMP for one of the Info dictionary, or that of the packet."""
    found = _DATE.match(date or "")
    if found is None:
        given = _first(packet.get(f"xmp:{name}"))
        return given if given and _XMP_DATE.fullmatch(given) else None
    year, month, day, hour, minute, second, utc, sign, hours, minutes = found.groups()
    zone = "Z" if utc or sign is None else f"{sign}{hours}:{minutes or '00'}"
    day_of_year = f"{year}-{month or '01'}-{day or '01'}"
    return f"{day_of_year}T{hour or '00'}:{minute or '00'}:{second or '00'}{zone}"


def _invoice(packet: _Packet) -> InvoiceFile | None:
    """Return the description of the invoice that the document carries, or None."""
    names = ("DocumentFileName", "ConformanceLevel", "Version")
    filename, level, version = (_first(packet.get(f"{_FACTURX}{name}")) for name in names)
    if filename is None or level is None or version is None:
        return None
    return InvoiceFile(b"", filename, "", level, version)
