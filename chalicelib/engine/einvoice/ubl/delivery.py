"""What was delivered where and when, as UBL."""

from chalicelib.engine.einvoice.model import Delivery
from chalicelib.engine.einvoice.ubl.parties import postal_address
from chalicelib.engine.einvoice.ubl.values import identifier
from chalicelib.engine.einvoice.xmlwrite import Node, day, group, leaf


def delivery(delivered: Delivery | None) -> Node | None:
    """Return BG-13."""
    if delivered is None:
        return None
    return group(
        "cac:Delivery",
        leaf("cbc:ActualDeliveryDate", day(delivered.date)),
        group(
            "cac:DeliveryLocation",
            identifier("cbc:ID", delivered.location),
            postal_address("cac:Address", delivered.address),
        ),
        group("cac:DeliveryParty", group("cac:PartyName", leaf("cbc:Name", delivered.party_name))),
    )
