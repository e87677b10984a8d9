"""From XML of either syntax to the invoice."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from lxml import etree

from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PROFILES, InvoiceProfile, Syntax
from chalicelib.engine.einvoice.read_cii import read_cii
from chalicelib.engine.einvoice.read_ubl import read_ubl
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii.document import NAMESPACES as CII
from chalicelib.engine.einvoice.write_ubl.document import NAMESPACES as UBL
from chalicelib.engine.einvoice.write_ubl.document import UBL_SCHEMA
from chalicelib.engine.einvoice.xml_parser import RefusedXmlError, parse_xml
from chalicelib.engine.einvoice.xml_reader import (
    ElementReader,
    LocatedMessage,
    UnreadableInvoiceError,
    XmlDocument,
)

_PROFILE_BY_GUIDELINE: Final = MappingProxyType(
    {profile.guideline: profile for profile in PROFILES.values()}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlInvoice:
    """What a document says, in the words of the model."""

    syntax: Syntax
    document_type: str
    """The name of the root element."""
    guideline: str | None
    """BT-24, as the document has it."""
    profile: InvoiceProfile | None
    """The profile of that guideline, if it is one of ours."""
    invoice: Invoice | None
    """None where a profile carries no lines, and where `problem` says why."""
    problem: LocatedMessage | None
    """Why no invoice can be made of the document."""
    not_in_model: tuple[LocatedMessage, ...]
    """What the document says and the invoice does not."""


@dataclass(frozen=True, slots=True)
class _SyntaxReader:
    syntax: Syntax
    prefixes: Mapping[str, str]
    guideline_path: str
    totals_path: str
    """Where the totals of the document stand."""
    amount_elements: Mapping[str, str]
    """The elements there by what they are called here."""
    read: Callable[[ElementReader], Invoice]


def read_xml(data: bytes) -> XmlInvoice:
    """Read an invoice or a credit note; raises RefusedXmlError for what is neither."""
    root = parse_xml(data)
    reader = _READERS.get(str(root.tag))
    if reader is None:
        name = etree.QName(root).localname
        raise RefusedXmlError(
            f"The document is a {name}; send a CrossIndustryInvoice (CII), or an Invoice or a"
            " CreditNote (UBL 2.1)"
        )
    document = XmlDocument(root, reader.prefixes)
    part = ElementReader(document, root)
    guideline = part.code(reader.guideline_path)
    profile = _PROFILE_BY_GUIDELINE.get(guideline or "")
    invoice, problem = None, None
    if profile is None or profile.has_lines:
        invoice, problem = _read_invoice(reader, part)
    return XmlInvoice(
        syntax=reader.syntax,
        document_type=etree.QName(root).localname,
        guideline=guideline,
        profile=profile,
        invoice=invoice,
        problem=problem,
        not_in_model=(*document.unread_elements(), *_deviating_totals(reader, part, invoice))
        if invoice
        else (),
    )


def _read_invoice(
    reader: _SyntaxReader, root: ElementReader
) -> tuple[Invoice | None, LocatedMessage | None]:
    try:
        return reader.read(root), None
    except UnreadableInvoiceError as error:
        return None, error.problem


def _deviating_totals(
    reader: _SyntaxReader, root: ElementReader, invoice: Invoice
) -> Iterator[LocatedMessage]:
    """Give the totals of the document that do not follow from its lines as this model has it."""
    computed = compute_totals(invoice)
    stated = root.require(reader.totals_path)
    for ours, theirs in reader.amount_elements.items():
        found = stated.find(theirs)
        amount = _amount(found)
        own = getattr(computed, ours)
        if found is not None and amount not in {None, own}:
            message = f"The document has {amount}; from its lines follows {own}"
            yield LocatedMessage(location=found.location, message=message)


def _amount(element: ElementReader | None) -> Decimal | None:
    """Return an amount; what is none is a matter of the validators."""
    if element is None:
        return None
    with suppress(UnreadableInvoiceError):
        return element.own_number()
    return None


def _prefix_by_namespace(namespaces: Mapping[str | None, str]) -> Mapping[str, str]:
    return {namespace: prefix or "" for prefix, namespace in namespaces.items()}


def _ubl_reader(name: str) -> _SyntaxReader:
    prefixes = {**_prefix_by_namespace(UBL), f"{UBL_SCHEMA}:{name}-2": "ubl"}
    amounts = {
        "line_total": "cbc:LineExtensionAmount",
        "tax_basis_total": "cbc:TaxExclusiveAmount",
        "grand_total": "cbc:TaxInclusiveAmount",
        "due_amount": "cbc:PayableAmount",
    }
    return _SyntaxReader(
        "ubl", prefixes, "cbc:CustomizationID", "cac:LegalMonetaryTotal", amounts, read_ubl
    )


_READERS: Final[Mapping[str, _SyntaxReader]] = MappingProxyType(
    {
        f"{{{CII['rsm']}}}CrossIndustryInvoice": _SyntaxReader(
            "cii",
            _prefix_by_namespace(CII),
            "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID",
            "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement/"
            "ram:SpecifiedTradeSettlementHeaderMonetarySummation",
            {
                "line_total": "ram:LineTotalAmount",
                "tax_basis_total": "ram:TaxBasisTotalAmount",
                "grand_total": "ram:GrandTotalAmount",
                "due_amount": "ram:DuePayableAmount",
            },
            read_cii,
        ),
        **{
            f"{{{UBL_SCHEMA}:{name}-2}}{name}": _ubl_reader(name)
            for name in ("Invoice", "CreditNote")
        },
    }
)
