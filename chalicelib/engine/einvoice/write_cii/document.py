"""The document: its context, its header and its transaction, in the order of the schema."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

from chalicelib.engine.einvoice.model import DeliveryInformation, Invoice
from chalicelib.engine.einvoice.profiles import InvoiceProfile
from chalicelib.engine.einvoice.totals import InvoiceTotals
from chalicelib.engine.einvoice.write_cii.agreement import agreement, document_reference
from chalicelib.engine.einvoice.write_cii.lines import line_item
from chalicelib.engine.einvoice.write_cii.parties import ship_to_party
from chalicelib.engine.einvoice.write_cii.settlement import settlement
from chalicelib.engine.einvoice.write_cii.values import date_time
from chalicelib.engine.einvoice.xml_writer import XmlNode, group, leaf, serialise_xml

NAMESPACES: Final[Mapping[str | None, str]] = MappingProxyType(
    {
        "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
        "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
        "qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
        "udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
    }
)


def write_cii(invoice: Invoice, totals: InvoiceTotals, profile: InvoiceProfile) -> bytes:
    """Write the invoice as CII, with what the profile has a place for."""
    elements = profile_elements(profile.name)
    if profile.name == "MINIMUM":  # its second tax total would have no currency
        invoice = replace(invoice, tax_total_in_tax_currency=None)
    root = group(
        "rsm:CrossIndustryInvoice",
        _context(invoice, profile),
        _header(invoice),
        _transaction(invoice, totals),
    )
    assert root is not None, "the guideline is always there"
    return serialise_xml(prune(root, elements), NAMESPACES)


def _context(invoice: Invoice, profile: InvoiceProfile) -> XmlNode | None:
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


def _header(invoice: Invoice) -> XmlNode | None:
    return group(
        "rsm:ExchangedDocument",
        leaf("ram:ID", invoice.number),
        leaf("ram:TypeCode", invoice.type_code),
        date_time("ram:IssueDateTime", invoice.issue_date),
        *(
            group(
                "ram:IncludedNote",
                leaf("ram:Content", note.text),
                leaf("ram:SubjectCode", note.subject_code),
            )
            for note in invoice.notes
        ),
    )


def _transaction(invoice: Invoice, totals: InvoiceTotals) -> XmlNode | None:
    return group(
        "rsm:SupplyChainTradeTransaction",
        *map(line_item, invoice.lines, totals.line_net_amounts),
        agreement(invoice),
        delivery(invoice),
        settlement(invoice, totals),
    )


type AllowedElements = Mapping[str, AllowedElements | None]
"""The elements that are allowed, each with its own; None stands for a value."""

# Factur-X knows it without content only (MINIMUM), and wants it everywhere.
_ALLOWED_EMPTY: Final = "ram:ApplicableHeaderTradeDelivery"


def prune(root: XmlNode, elements: AllowedElements) -> XmlNode:
    """Return the tree with those elements only that the profile knows."""
    return root._replace(children=_prune_children(root.children, elements))


def profile_elements(profile: str) -> AllowedElements:
    """Return what a profile allows."""
    elements: AllowedElements = _elements_table()["profiles"][profile]
    return elements


@cache
def _elements_table() -> dict[str, Any]:
    source = files("chalicelib.engine.einvoice").joinpath("cii_elements.json")
    table: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return table


def _prune_children(nodes: Sequence[XmlNode], elements: AllowedElements) -> list[XmlNode]:
    kept: list[XmlNode] = []
    for node in nodes:
        tag = node.tag
        if tag not in elements:
            continue
        within = elements[tag]
        if within is None:
            kept.append(node)
            continue
        children = _prune_children(node.children, within)
        if children or tag == _ALLOWED_EMPTY:
            kept.append(XmlNode(tag, None, node.attributes, children))
    return kept


_NO_DELIVERY = DeliveryInformation()


def delivery(invoice: Invoice) -> XmlNode:
    """Return the delivery; the schema wants the element also when it says nothing."""
    delivered = invoice.delivery or _NO_DELIVERY
    children = (
        ship_to_party(delivered),
        _delivery_event(delivered),
        document_reference(
            "ram:DespatchAdviceReferencedDocument", invoice.despatch_advice_reference
        ),
        document_reference(
            "ram:ReceivingAdviceReferencedDocument", invoice.receiving_advice_reference
        ),
    )
    present = tuple(child for child in children if child is not None)
    return XmlNode("ram:ApplicableHeaderTradeDelivery", None, {}, present)


def _delivery_event(delivered: DeliveryInformation) -> XmlNode | None:
    occurrence = date_time("ram:OccurrenceDateTime", delivered.date)
    if occurrence is None:
        return None
    return XmlNode("ram:ActualDeliverySupplyChainEvent", None, {}, (occurrence,))
