"""What a PDF says of itself: PDF/A and PDF/UA in its metadata, an invoice among its files."""

import io
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from xml.parsers import expat

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.einvoice.profiles import PROFILES

if TYPE_CHECKING:
    import pikepdf

INVOICE_FILENAMES: Final = ("factur-x.xml", "xrechnung.xml", "zugferd-invoice.xml")
MAX_INVOICE_BYTES: Final = 20_000_000
_MAX_METADATA_BYTES: Final = 2_000_000
_HEADER_BYTES: Final = 1024
_XMP_CLAIMS: Final = ("pdfaid:part", "pdfaid:conformance", "pdfuaid:part")
_FLATE_DECODE: Final = "/FlateDecode"
# Part and level; parts above 3 may have no level.
_PDFA_PROFILE: Final = re.compile(r"[1-9][a-z]?")
# Where a file may have its name and its content, first the one that readers prefer.
_FILENAME_KEYS: Final = ("/UF", "/F", "/Unix", "/DOS", "/Mac")


class NotAPdf(Exception):  # noqa: N818 -- says what it is not
    """A file that cannot be read as a PDF; the message says why."""


class PasswordProtectedPdf(NotAPdf):
    """A PDF that only a password opens."""


@dataclass(frozen=True, slots=True)
class PdfClaims:
    """What is to be held against the validators.

    `pdfa` is a profile such as `3b`, or one that there are no rules for, such as `1b`.
    """

    pdfa: str | None
    pdfua: bool
    invoice: bytes | None


def is_pdf(content: bytes) -> bool:
    """Tell whether a file begins as PDFs do."""
    return b"%PDF-" in content[:_HEADER_BYTES]


def read_pdf_claims(content: bytes) -> PdfClaims:
    """Read them; raises NotAPdf, and NotAnInvoice where it is in doubt which invoice it carries."""
    import pikepdf  # noqa: PLC0415 -- who judges invoices alone does not wait for it

    try:
        with pikepdf.open(io.BytesIO(content)) as pdf:
            return PdfClaims(*_claimed_profiles(pdf), _embedded_invoice(pdf))
    except pikepdf.PasswordError as locked:
        raise PasswordProtectedPdf(
            "the PDF is protected by a password; send it without one"
        ) from locked
    # The rest: what stands at a place where the format wants something else.
    except (pikepdf.PdfError, AttributeError, LookupError, TypeError, ValueError) as broken:
        raise NotAPdf("the file cannot be read as a PDF") from broken


def _claimed_profiles(pdf: "pikepdf.Pdf") -> tuple[str | None, bool]:
    try:
        # Before anybody unpacks them whole.
        _stream_content(pdf.Root.Metadata, _MAX_METADATA_BYTES)
        told = pdf.open_metadata()
        part, level, pdfua = (told.get(name, "").strip() for name in _XMP_CLAIMS)
    except (AttributeError, LookupError, SyntaxError, TypeError, ValueError, NotAnInvoice):
        # Damaged metadata claim nothing.
        return None, False
    profile = f"{part}{level}".lower()
    return (profile if _PDFA_PROFILE.fullmatch(profile) else None), pdfua == "1"


def _embedded_invoice(pdf: "pikepdf.Pdf") -> bytes | None:
    """Return the only file that is named as an invoice; of several no reader knows which counts."""
    found: dict[tuple[int, int], tuple[str, pikepdf.Object]] = {}
    for key, file in _embedded_files(pdf):
        name = next((str(file[each]) for each in _FILENAME_KEYS if each in file), key)
        if {key.lower(), name.lower()} & set(INVOICE_FILENAMES):
            stream = next(file.EF[each] for each in _FILENAME_KEYS if each in file.EF)
            found[stream.objgen] = name, stream
    if len(found) > 1:
        names = ", ".join([name for name, _ in found.values()][:3])
        raise NotAnInvoice(f"the PDF carries {len(found)} invoices ({names}); leave one")
    return next((_stream_content(stream, MAX_INVOICE_BYTES) for _, stream in found.values()), None)


def _embedded_files(pdf: "pikepdf.Pdf") -> Iterator[tuple[str, "pikepdf.Object"]]:
    """Return the files of the document by their keys: those it lists, and those bound to it."""
    import pikepdf  # noqa: PLC0415 -- as above

    for key, attached in pdf.attachments.items():
        yield key, attached.obj
    bound: Any = pdf.Root.get("/AF", [])
    for file in [bound] if isinstance(bound, pikepdf.Dictionary) else bound:
        if isinstance(file, pikepdf.Dictionary):
            yield "", file


def _stream_content(stream: "pikepdf.Object", max_bytes: int) -> bytes:
    """Return the content of a stream, of which a few bytes may stand for gigabytes."""
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
    said: Any = stream.get("/Filter", [])
    filters = [str(said)] if str(said).startswith("/") else [str(each) for each in said]
    if filters not in ([], [_FLATE_DECODE]) or "/DecodeParms" in stream:
        raise NotAnInvoice("the file inside the PDF is packed otherwise than by FlateDecode")
    return bool(filters)


_CII_ROOT: Final = (
    "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice"
)
_UBL_ROOT: Final = "urn:oasis:names:specification:ubl:schema:xsd:{0}-2 {0}"
_UBL_ROOTS: Final = {_UBL_ROOT.format(name): name for name in ("Invoice", "CreditNote")}
_GUIDELINE_ELEMENTS: Final = ("GuidelineSpecifiedDocumentContextParameter", "CustomizationID")
_MAX_GUIDELINE_CHARACTERS: Final = 500


class NotAnInvoice(Exception):  # noqa: N818 -- says what it is not
    """An XML that no profile claims; the message says why."""


@dataclass(slots=True)
class _XmlHead:
    """What is read of an XML until its profile is known."""

    root: str | None = None
    names: list[str] = field(default_factory=list)
    guideline: str = ""

    def start_element(self, name: str, _attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self.names.append(name.rpartition(" ")[2])

    def character_data(self, text: str) -> None:
        wanted = any(name in _GUIDELINE_ELEMENTS for name in self.names[-2:])
        if wanted and len(self.guideline) < _MAX_GUIDELINE_CHARACTERS:
            self.guideline += text

    def end_element(self, _name: str) -> None:
        self.names.pop()


def invoice_check(xml: bytes) -> ConformanceCheck:
    """Return the check that an XML asks for by its root and its guideline.

    Raises NotAnInvoice; what has a document type is none.
    """
    head = _read_head(xml)
    guideline = head.guideline.strip()
    profile = next((each for each in PROFILES.values() if each.guideline == guideline), None)
    if head.root not in (_CII_ROOT, *_UBL_ROOTS):
        raise NotAnInvoice("the XML is neither a CII nor a UBL invoice")
    if profile is None:
        raise NotAnInvoice(
            f"the invoice's profile is not known here: its guideline is {guideline!r}"
        )
    if head.root == _CII_ROOT:
        return ConformanceCheck.cii(profile.name)
    if "ubl" not in profile.syntaxes:
        raise NotAnInvoice(f"the profile {profile.name} exists in CII only, not in UBL")
    return ConformanceCheck.ubl(profile.name, credit_note=_UBL_ROOTS[head.root] == "CreditNote")


def _read_head(xml: bytes) -> _XmlHead:
    head = _XmlHead()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = head.start_element
    parser.EndElementHandler = head.end_element
    parser.CharacterDataHandler = head.character_data
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(xml, True)  # noqa: FBT003 -- takes no keywords
    except expat.ExpatError as error:
        raise NotAnInvoice(f"the XML is not well-formed: {error}") from error
    return head


def _refuse_doctype(*_declaration: object) -> None:
    raise NotAnInvoice("the XML has a document type, which no invoice needs")
