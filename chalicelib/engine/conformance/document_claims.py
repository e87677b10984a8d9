"""Claims of a document: PDF/A and PDF/UA in its metadata, the invoice inside it, its profile."""

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final
from xml.parsers import expat

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.rule_sets import CII_DOCUMENT, missing_rules, rule_check

if TYPE_CHECKING:
    import pikepdf

INVOICE_FILENAMES: Final = ("factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml")
MAX_INVOICE_BYTES: Final = 20_000_000
_MAX_METADATA_BYTES: Final = 2_000_000
_HEADER_BYTES: Final = 1024
_XMP_CLAIMS: Final = ("pdfaid:part", "pdfaid:conformance", "pdfuaid:part")
_FLATE_DECODE: Final = "/FlateDecode"
# Part and level of PDF/A; PDF/A-4 has no level.
_PDFA_PROFILE: Final = re.compile(r"[1-9][a-z]?")
# Keys of a file specification for its name and its content (ISO 32000-1 7.11.3), preferred first.
_FILENAME_KEYS: Final = ("/UF", "/F", "/Unix", "/DOS", "/Mac")
_CII_ROOT: Final = f"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 {CII_DOCUMENT}"
_UBL_ROOT: Final = "urn:oasis:names:specification:ubl:schema:xsd:{0}-2 {0}"
_UBL_ROOTS: Final = {_UBL_ROOT.format(name): name for name in ("Invoice", "CreditNote")}
_GUIDELINE_ELEMENTS: Final = ("GuidelineSpecifiedDocumentContextParameter", "CustomizationID")
_MAX_GUIDELINE_CHARACTERS: Final = 500
_MAX_NAME_CHARACTERS: Final = 100
_MAX_REASON_CHARACTERS: Final = 200
_STREAM_ADDRESS: Final = re.compile(r"^stream <[^>]*>:? ?")
# pikepdf meets an object of another type than the format demands.
_WRONG_TYPE: Final = (AttributeError, LookupError, TypeError, ValueError)


class NotAPdf(Exception):  # noqa: N818 -- says what it is not
    """A file that cannot be read as a PDF; the message has the reason."""


class PasswordProtectedPdf(NotAPdf):
    """A PDF that opens only with a password."""


class NotAnInvoice(Exception):  # noqa: N818 -- says what it is not
    """An XML without a known profile, or a PDF without a usable invoice; the message says why."""


@dataclass(frozen=True, slots=True)
class PdfClaims:
    """The standards that a PDF claims, and the XML of the invoice that it carries.

    `pdfa` is a part and level such as `3b`, possibly one without rules here, such as `1b`.
    `problem` tells why there is no usable invoice in a PDF that names one.
    """

    pdfa: str | None
    pdfua: bool
    invoice: bytes | None
    problem: str | None = None
    is_damaged: bool = False
    """The PDF was readable after a repair only: something may be lost."""

    @property
    def names_an_invoice(self) -> bool:
        """Tell whether there is an invoice, even an unusable one."""
        return self.invoice is not None or self.problem is not None


def is_pdf(content: bytes) -> bool:
    """Tell whether the header of a PDF stands in the first 1024 bytes, as readers demand."""
    return b"%PDF-" in content[:_HEADER_BYTES]


def read_pdf_claims(content: bytes) -> PdfClaims:
    """Read the claims of a PDF; raise NotAPdf."""
    import pikepdf  # noqa: PLC0415 -- slow to import, and XML alone needs none

    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            claims = PdfClaims(*claimed_profiles(pdf), *_invoice_or_problem(pdf))
            return replace(claims, is_damaged=bool(pdf.get_warnings()))
    except pikepdf.PasswordError as locked:
        raise PasswordProtectedPdf(
            "the PDF is protected by a password; send it without one"
        ) from locked
    except pikepdf.PdfError as broken:
        # qpdf names the stream by its address in memory.
        reason = _STREAM_ADDRESS.sub("", str(broken))[:_MAX_REASON_CHARACTERS]
        raise NotAPdf(f"the file cannot be read as a PDF: {reason}") from broken
    except _WRONG_TYPE as broken:
        raise NotAPdf("the file cannot be read as a PDF") from broken


def _invoice_or_problem(pdf: "pikepdf.Pdf") -> tuple[bytes | None, str | None]:
    try:
        return embedded_invoice(pdf), None
    except NotAnInvoice as reason:
        return None, str(reason)


def invoice_check(xml: bytes) -> ConformanceCheck:
    """Return the check for the root and the guideline (BT-24) of an XML.

    Raise NotAnInvoice, also for an XML with a document type declaration.
    """
    head = _read_head(xml)
    document = CII_DOCUMENT if head.root == _CII_ROOT else _UBL_ROOTS.get(head.root or "")
    if document is None:
        raise NotAnInvoice("the XML is neither a CII nor a UBL invoice")
    guideline = head.guideline.strip()
    check = rule_check(guideline, document)
    if check is None:
        raise NotAnInvoice(missing_rules(guideline, document))
    return check


def claimed_profiles(pdf: "pikepdf.Pdf") -> tuple[str | None, bool]:
    """Return part and level of PDF/A that the metadata claim, or None, and the claim of PDF/UA."""
    import pikepdf  # noqa: PLC0415 -- as above

    try:
        # open_metadata unpacks the whole stream: check its size first.
        _stream_content(pdf.Root.Metadata, _MAX_METADATA_BYTES)
        metadata = pdf.open_metadata()
        part, level, pdfua = (metadata.get(name, "").strip() for name in _XMP_CLAIMS)
    except (pikepdf.PdfError, SyntaxError, NotAnInvoice, *_WRONG_TYPE):
        # Damaged metadata are no claim.
        return None, False
    profile = f"{part}{level}".lower()
    return (profile if _PDFA_PROFILE.fullmatch(profile) else None), pdfua == "1"


def embedded_invoice(pdf: "pikepdf.Pdf") -> bytes | None:
    """Return the embedded file named as an invoice; raise NotAnInvoice if it is not usable.

    That is one of several, a damaged one, or one in damaged lists of files.
    """
    import pikepdf  # noqa: PLC0415 -- as above

    try:
        files = [(_file_name(key, file), file) for key, file in _embedded_files(pdf)]
    except (pikepdf.PdfError, RuntimeError, *_WRONG_TYPE) as broken:
        raise NotAnInvoice("the list of the files inside the PDF is damaged") from broken
    invoices: dict[tuple[int, int], tuple[str, pikepdf.Stream]] = {}
    for name, file in files:
        if name is not None:
            stream = _file_stream(name, file)
            invoices[stream.objgen] = name, stream
    if len(invoices) > 1:
        names = ", ".join([name for name, _ in invoices.values()][:3])
        raise NotAnInvoice(f"the PDF carries {len(invoices)} invoices ({names}); leave one")
    for name, stream in invoices.values():
        return _invoice_content(name, stream)
    return None


def _file_name(key: str, file: "pikepdf.Object") -> str | None:
    """Return the name of a file that is named as an invoice, by its key or itself; else None."""
    name = next((str(file[each]) for each in _FILENAME_KEYS if each in file), key)
    return name if {key.lower(), name.lower()} & set(INVOICE_FILENAMES) else None


def _file_stream(name: str, file: "pikepdf.Object") -> "pikepdf.Stream":
    import pikepdf  # noqa: PLC0415 -- as above

    content = file.get("/EF")
    if isinstance(content, pikepdf.Dictionary):
        for key in _FILENAME_KEYS:
            stream = content.get(key)
            if isinstance(stream, pikepdf.Stream):
                return stream
    raise NotAnInvoice(f"the PDF names {_short_name(name)}, but its content is missing")


def _invoice_content(name: str, stream: "pikepdf.Stream") -> bytes:
    import pikepdf  # noqa: PLC0415 -- as above

    try:
        return _stream_content(stream, MAX_INVOICE_BYTES)
    except NotAnInvoice as reason:
        raise NotAnInvoice(f"{_short_name(name)}: {reason}") from reason
    except (pikepdf.PdfError, RuntimeError, *_WRONG_TYPE) as broken:
        raise NotAnInvoice(f"{_short_name(name)} inside the PDF is damaged") from broken


def _short_name(name: str) -> str:
    """Return a name from a document, cut to a length that a message takes."""
    return name[:_MAX_NAME_CHARACTERS]


def _embedded_files(pdf: "pikepdf.Pdf") -> Iterator[tuple[str, "pikepdf.Object"]]:
    """Yield the embedded files (name tree) and the associated files (/AF), each with its key."""
    import pikepdf  # noqa: PLC0415 -- as above

    for key, attached in pdf.attachments.items():
        yield key, attached.obj
    associated = pdf.Root.get("/AF", ())
    for file in [associated] if isinstance(associated, pikepdf.Dictionary) else associated:
        if isinstance(file, pikepdf.Dictionary):
            yield "", file


def _stream_content(stream: "pikepdf.Object", max_bytes: int) -> bytes:
    """Return the content of a stream, unpacked up to a limit: it may be a zip bomb."""
    raw, packed = stream.read_raw_bytes(), _is_flate_encoded(stream)
    unpacker = zlib.decompressobj()
    try:
        content = unpacker.decompress(raw, max_bytes + 1) if packed else raw
    except zlib.error as damage:
        raise NotAnInvoice("the file inside the PDF is damaged") from damage
    if len(content) > max_bytes:
        raise NotAnInvoice(f"the file inside the PDF has more than {max_bytes} bytes")
    return content


def _is_flate_encoded(stream: "pikepdf.Object") -> bool:
    entry = stream.get("/Filter", ())
    filters = [str(entry)] if str(entry).startswith("/") else [str(each) for each in entry]
    if filters not in ([], [_FLATE_DECODE]) or "/DecodeParms" in stream:
        raise NotAnInvoice("the file inside the PDF is packed otherwise than by FlateDecode")
    return bool(filters)


@dataclass(slots=True)
class _XmlHead:
    """Root and guideline of an XML, collected by the events of expat."""

    root: str | None = None
    names: list[str] = field(default_factory=list)
    guideline: str = ""

    def start_element(self, name: str, _attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self.names.append(name.rpartition(" ")[2])

    def character_data(self, text: str) -> None:
        is_guideline = any(name in _GUIDELINE_ELEMENTS for name in self.names[-2:])
        if is_guideline and len(self.guideline) < _MAX_GUIDELINE_CHARACTERS:
            self.guideline += text

    def end_element(self, _name: str) -> None:
        self.names.pop()


def _read_head(xml: bytes) -> _XmlHead:
    head = _XmlHead()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = head.start_element
    parser.EndElementHandler = head.end_element
    parser.CharacterDataHandler = head.character_data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(xml, True)  # noqa: FBT003 -- takes no keywords
    # LookupError and ValueError: an encoding that Python or expat does not know.
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise NotAnInvoice(f"the XML is not well-formed: {error}") from error
    return head


def _refuse_doctype(*_declaration: object) -> None:
    raise NotAnInvoice("the XML has a document type, which no invoice needs")
