"""Root and guideline of the XML of an invoice, which tell the rules that it follows."""

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.rule_sets import CII_DOCUMENT, missing_rules, rule_check

_CII_ROOT: Final = f"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 {CII_DOCUMENT}"
_UBL_ROOT: Final = "urn:oasis:names:specification:ubl:schema:xsd:{0}-2 {0}"
_UBL_ROOTS: Final = {_UBL_ROOT.format(name): name for name in ("Invoice", "CreditNote")}
_GUIDELINE_ELEMENTS: Final = ("GuidelineSpecifiedDocumentContextParameter", "CustomizationID")
_MAX_GUIDELINE_CHARACTERS: Final = 500


class NotAnInvoiceError(Exception):
    """An XML without a known profile, or a PDF without a usable invoice; the message says why."""


def invoice_check(xml: bytes) -> ConformanceCheck:
    """Return the check for the root and the guideline (BT-24) of an XML.

    Raise NotAnInvoiceError, also for an XML with a document type declaration.
    """
    head = _read_head(xml)
    document = CII_DOCUMENT if head.root == _CII_ROOT else _UBL_ROOTS.get(head.root or "")
    if document is None:
        raise NotAnInvoiceError("the XML is neither a CII nor a UBL invoice")
    guideline = head.guideline.strip()
    check = rule_check(guideline, document)
    if check is None:
        raise NotAnInvoiceError(missing_rules(guideline, document))
    return check


def invoice_guideline(xml: bytes) -> str:
    """Return the guideline (BT-24) that an XML names, or an empty text; raise NotAnInvoiceError."""
    return _read_head(xml).guideline.strip()


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
        raise NotAnInvoiceError(f"the XML is not well-formed: {error}") from error
    return head


def _refuse_doctype(*_declaration: object) -> None:
    raise NotAnInvoiceError("the XML has a document type, which no invoice needs")
