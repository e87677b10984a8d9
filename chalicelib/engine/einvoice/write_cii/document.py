"""CII document: context, header and transaction, in the order of the schema."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, TypedDict

from chalicelib.engine.einvoice.model import DeliveryInformation, Invoice
from chalicelib.engine.einvoice.profiles import InvoiceProfile
from chalicelib.engine.einvoice.totals import InvoiceTotals
from chalicelib.engine.einvoice.write_cii.agreement import agreement, document_reference
from chalicelib.engine.einvoice.write_cii.lines import line_item
from chalicelib.engine.einvoice.write_cii.parties import ship_to_party
from chalicelib.engine.einvoice.write_cii.settlement import settlement
from chalicelib.engine.einvoice.write_cii.values import date_time
from chalicelib.engine.einvoice.xml_writer import NO_UPLOADS, XmlNode, group, leaf, serialise_xml

type AllowedElements = Mapping[str, AllowedElements | None]
"""Allowed elements by tag, each with its allowed children; None is an element with text."""

# Required by the schema in every profile, but always empty in MINIMUM.
_ALLOWED_EMPTY: Final = "ram:ApplicableHeaderTradeDelivery"
_NO_DELIVERY = DeliveryInformation()
NAMESPACES: Final[Mapping[str | None, str]] = MappingProxyType(
    {
        "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
        "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
        "qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
        "udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
    }
)


class _ElementsTable(TypedDict):
    profiles: dict[str, AllowedElements]


def write_cii(
    invoice: Invoice,
    totals: InvoiceTotals,
    profile: InvoiceProfile,
    embedded: Mapping[str, str] = NO_UPLOADS,
) -> bytes:
    """Write the invoice as CII, with only the elements that the profile allows.

    `embedded` has the contents of uploads, in base64, by their ids.
    """
    elements = profile_elements(profile.name)
    # MINIMUM has no tax currency, without which a second tax total has no meaning.
    if profile.name == "MINIMUM":
        invoice = replace(invoice, tax_total_in_tax_currency=None)
    root = group(
        "rsm:CrossIndustryInvoice",
        _context(invoice, profile),
        _header(invoice),
        _transaction(invoice, totals, embedded),
    )
    assert root is not None, "the guideline is always there"
    return serialise_xml(prune(root, elements), NAMESPACES)


def prune(root: XmlNode, elements: AllowedElements) -> XmlNode:
    """Return the tree without the elements that the profile does not allow."""
    return root._replace(children=_prune_children(root.children, elements))


def profile_elements(profile: str) -> AllowedElements:
    """Return the elements that a profile allows."""
    return _elements_table()["profiles"][profile]


def delivery(invoice: Invoice) -> XmlNode:
    """Return the delivery (BG-13); the schema requires the element even if it is empty."""
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


def _transaction(
    invoice: Invoice, totals: InvoiceTotals, embedded: Mapping[str, str]
) -> XmlNode | None:
    return group(
        "rsm:SupplyChainTradeTransaction",
        *map(line_item, invoice.lines, totals.line_net_amounts),
        agreement(invoice, embedded),
        delivery(invoice),
        settlement(invoice, totals),
    )


def _prune_children(nodes: Sequence[XmlNode], elements: AllowedElements) -> list[XmlNode]:
    pruned: list[XmlNode] = []
    for node in nodes:
        tag = node.tag
        if tag not in elements:
            continue
        inner = elements[tag]
        if inner is None:
            pruned.append(node)
            continue
        children = _prune_children(node.children, inner)
        if children or tag == _ALLOWED_EMPTY:
            pruned.append(XmlNode(tag, None, node.attributes, children))
    return pruned


def _delivery_event(delivered: DeliveryInformation) -> XmlNode | None:
    occurrence = date_time("ram:OccurrenceDateTime", delivered.date)
    if occurrence is None:
        return None
    return XmlNode("ram:ActualDeliverySupplyChainEvent", None, {}, (occurrence,))


@cache
def _elements_table() -> _ElementsTable:
    source = files("chalicelib.engine.einvoice").joinpath("cii_elements.json")
    table: _ElementsTable = json.loads(source.read_text(encoding="utf-8"))
    return table
