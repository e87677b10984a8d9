"""What was delivered where and when, as CII."""

from chalicelib.engine.einvoice.cii.agreement import reference
from chalicelib.engine.einvoice.cii.parties import ship_to_party
from chalicelib.engine.einvoice.cii.values import moment
from chalicelib.engine.einvoice.model import Delivery, Invoice
from chalicelib.engine.einvoice.xmlwrite import Node

_NOTHING = Delivery()


def delivery(invoice: Invoice) -> Node:
    """Return the delivery; the schema wants the element also when it says nothing."""
    delivered = invoice.delivery or _NOTHING
    children = (
        ship_to_party(delivered),
        _event(delivered),
        reference("ram:DespatchAdviceReferencedDocument", invoice.despatch_advice_reference),
        reference("ram:ReceivingAdviceReferencedDocument", invoice.receiving_advice_reference),
    )
    present = tuple(child for child in children if child is not None)
    return Node("ram:ApplicableHeaderTradeDelivery", None, {}, present)


def _event(delivered: Delivery) -> Node | None:
    occurrence = moment("ram:OccurrenceDateTime", delivered.date)
    if occurrence is None:
        return None
    return Node("ram:ActualDeliverySupplyChainEvent", None, {}, (occurrence,))
