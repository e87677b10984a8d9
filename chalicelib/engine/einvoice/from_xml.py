"""From XML of either syntax to the invoice."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from lxml import etree

from chalicelib.engine.einvoice.cii.document import NAMESPACES as CII
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Profile, Syntax
from chalicelib.engine.einvoice.read_cii import read_cii
from chalicelib.engine.einvoice.read_ubl import read_ubl
from chalicelib.engine.einvoice.totals import totals
from chalicelib.engine.einvoice.ubl.document import NAMESPACES as UBL
from chalicelib.engine.einvoice.ubl.document import UBL_SCHEMA
from chalicelib.engine.einvoice.xmlparse import RefusedXmlError, parse
from chalicelib.engine.einvoice.xmlread import Document, Part, Remark, UnreadableInvoiceError

_PROFILE_OF: Final = MappingProxyType({profile.guideline: profile for profile in PROFILES.values()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a document says, in the words of the model."""

    syntax: Syntax
    document_type: str
    """The name of the root element."""
    guideline: str | None
    """BT-24, as the document has it."""
    profile: Profile | None
    """The profile of that guideline, if it is one of ours."""
    invoice: Invoice | None
    """None where a profile carries no lines, and where `problem` says why."""
    problem: Remark | None
    """Why no invoice can be made of the document."""
    not_in_model: tuple[Remark, ...]
    """What the document says and the invoice does not."""


@dataclass(frozen=True, slots=True)
class _Reader:
    syntax: Syntax
    prefixes: Mapping[str, str]
    guideline: str
    totals: str
    """Where the totals of the document stand."""
    amounts: Mapping[str, str]
    """The elements there by what they are called here."""
    read: Callable[[Part], Invoice]


def from_xml(data: bytes) -> Reading:
    """Read an invoice or a credit note; raises RefusedXmlError for what is neither."""
    root = parse(data)
    reader = _READERS.get(str(root.tag))
    if reader is None:
        name = etree.QName(root).localname
        raise RefusedXmlError(
            f"The document is a {name}; send a CrossIndustryInvoice (CII), or an Invoice or a"
            " CreditNote (UBL 2.1)"
        )
    document = Document(root, reader.prefixes)
    part = Part(document, root)
    guideline = part.code(reader.guideline)
    profile = _PROFILE_OF.get(guideline or "")
    invoice, problem = None, None
    if profile is None or profile.has_lines:
        invoice, problem = _read(reader, part)
    return Reading(
        syntax=reader.syntax,
        document_type=etree.QName(root).localname,
        guideline=guideline,
        profile=profile,
        invoice=invoice,
        problem=problem,
        not_in_model=(*document.unread(), *_other_totals(reader, part, invoice)) if invoice else (),
    )


def _read(reader: _Reader, root: Part) -> tuple[Invoice | None, Remark | None]:
    try:
        return reader.read(root), None
    except UnreadableInvoiceError as error:
        return None, error.remark


def _other_totals(reader: _Reader, root: Part, invoice: Invoice) -> Iterator[Remark]:
    """Give the totals of the document that do not follow from its lines as this model has it."""
    computed = totals(invoice)
    stated = root.need(reader.totals)
    for ours, theirs in reader.amounts.items():
        found = stated.one(theirs)
        amount = _amount(found)
        own = getattr(computed, ours)
        if found is not None and amount not in {None, own}:
            message = f"The document has {amount}; from its lines follows {own}"
            yield Remark(location=found.location, message=message)


def _amount(part: Part | None) -> Decimal | None:
    """Return an amount; what is none is a matter of the validators."""
    if part is None:
        return None
    with suppress(UnreadableInvoiceError):
        return part.own_number()
    return None


def _prefixes(namespaces: Mapping[str | None, str]) -> Mapping[str, str]:
    return {namespace: prefix or "" for prefix, namespace in namespaces.items()}


def _ubl_reader(name: str) -> _Reader:
    prefixes = {**_prefixes(UBL), f"{UBL_SCHEMA}:{name}-2": "ubl"}
    amounts = {
        "line_total": "cbc:LineExtensionAmount",
        "tax_basis_total": "cbc:TaxExclusiveAmount",
        "grand_total": "cbc:TaxInclusiveAmount",
        "due_amount": "cbc:PayableAmount",
    }
    return _Reader(
        "ubl", prefixes, "cbc:CustomizationID", "cac:LegalMonetaryTotal", amounts, read_ubl
    )


_READERS: Final[Mapping[str, _Reader]] = MappingProxyType(
    {
        f"{{{CII['rsm']}}}CrossIndustryInvoice": _Reader(
            "cii",
            _prefixes(CII),
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
