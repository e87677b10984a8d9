"""The document: its context, its header and its transaction, in the order of the schema."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from chalicelib.engine.einvoice.cii.agreement import agreement
from chalicelib.engine.einvoice.cii.delivery import delivery
from chalicelib.engine.einvoice.cii.lines import line_item
from chalicelib.engine.einvoice.cii.settlement import settlement
from chalicelib.engine.einvoice.cii.values import moment
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import Profile
from chalicelib.engine.einvoice.prune import elements_of, prune
from chalicelib.engine.einvoice.totals import Totals
from chalicelib.engine.einvoice.xmlwrite import Node, group, leaf, serialise

NAMESPACES: Final[Mapping[str | None, str]] = MappingProxyType(
    {
        "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
        "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
        "qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
        "udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
    }
)


def to_cii(invoice: Invoice, totals: Totals, profile: Profile) -> bytes:
    """Write the invoice as CII, with what the profile has a place for."""
    elements = elements_of(profile.name)
    if profile.name == "MINIMUM":  # its second tax total would have no currency
        invoice = replace(invoice, tax_total_in_tax_currency=None)
    root = group(
        "rsm:CrossIndustryInvoice",
        _context(invoice, profile),
        _header(invoice),
        _transaction(invoice, totals),
    )
    assert root is not None, "the guideline is always there"
    return serialise(prune(root, elements), NAMESPACES)


def _context(invoice: Invoice, profile: Profile) -> Node | None:
    return group(
        "rsm:ExchangedDocumentContext",
        group(
            "ram:BusinessProcessSpecifiedDocumentContextParameter",
            leaf("ram:ID", invoice.process_id or profile.process_id),
        ),
        group(
            "ram:GuidelineSpecifiedDocumentContextParameter",
            leaf("ram:ID", profile.guideline),
        ),
    )


def _header(invoice: Invoice) -> Node | None:
    return group(
        "rsm:ExchangedDocument",
        leaf("ram:ID", invoice.number),
        leaf("ram:TypeCode", invoice.type_code),
        moment("ram:IssueDateTime", invoice.issue_date),
        *(
            group(
                "ram:IncludedNote",
                leaf("ram:Content", note.text),
                leaf("ram:SubjectCode", note.subject_code),
            )
            for note in invoice.notes
        ),
    )


def _transaction(invoice: Invoice, totals: Totals) -> Node | None:
    return group(
        "rsm:SupplyChainTradeTransaction",
        *map(line_item, invoice.lines, totals.line_net_amounts),
        agreement(invoice),
        delivery(invoice),
        settlement(invoice, totals),
    )
