"""CII parties: seller, buyer, payee, tax representative and ship-to party."""

from chalicelib.engine.einvoice.model import (
    Buyer,
    Contact,
    DeliveryInformation,
    Identifier,
    Payee,
    PostalAddress,
    Seller,
    TaxRepresentative,
)
from chalicelib.engine.einvoice.write_cii.values import identifier, party_identifiers
from chalicelib.engine.einvoice.xml_writer import XmlNode, group, leaf


def seller_party(seller: Seller) -> XmlNode | None:
    """Return the seller (BG-4)."""
    return group(
        "ram:SellerTradeParty",
        *party_identifiers(*seller.identifiers),
        leaf("ram:Name", seller.name),
        leaf("ram:Description", seller.legal_info),
        _organization(seller.legal_registration, seller.trading_name),
        _contact(seller.contact),
        _address(seller.address),
        _electronic_address(seller.electronic_address),
        # VA is the VAT identifier (BT-31), FC the tax number (BT-32).
        _tax_registration(seller.vat_id, "VA"),
        _tax_registration(seller.tax_number, "FC"),
    )


def buyer_party(buyer: Buyer) -> XmlNode | None:
    """Return the buyer (BG-7)."""
    return group(
        "ram:BuyerTradeParty",
        *party_identifiers(buyer.identifier),
        leaf("ram:Name", buyer.name),
        _organization(buyer.legal_registration, buyer.trading_name),
        _contact(buyer.contact),
        _address(buyer.address),
        _electronic_address(buyer.electronic_address),
        _tax_registration(buyer.vat_id, "VA"),
    )


def tax_representative_party(representative: TaxRepresentative | None) -> XmlNode | None:
    """Return the tax representative (BG-11)."""
    if representative is None:
        return None
    return group(
        "ram:SellerTaxRepresentativeTradeParty",
        leaf("ram:Name", representative.name),
        _address(representative.address),
        _tax_registration(representative.vat_id, "VA"),
    )


def payee_party(payee: Payee | None) -> XmlNode | None:
    """Return the payee (BG-10)."""
    if payee is None:
        return None
    return group(
        "ram:PayeeTradeParty",
        *party_identifiers(payee.identifier),
        leaf("ram:Name", payee.name),
        _organization(payee.legal_registration, None),
    )


def ship_to_party(delivery: DeliveryInformation) -> XmlNode | None:
    """Return the receiver of the delivery (BT-70, BT-71, BG-15)."""
    return group(
        "ram:ShipToTradeParty",
        *party_identifiers(delivery.location),
        leaf("ram:Name", delivery.party_name),
        _address(delivery.address),
    )


def _organization(registration: Identifier | None, trading_name: str | None) -> XmlNode | None:
    return group(
        "ram:SpecifiedLegalOrganization",
        identifier("ram:ID", registration),
        leaf("ram:TradingBusinessName", trading_name),
    )


def _contact(contact: Contact | None) -> XmlNode | None:
    if contact is None:
        return None
    return group(
        "ram:DefinedTradeContact",
        leaf("ram:PersonName", contact.name),
        group("ram:TelephoneUniversalCommunication", leaf("ram:CompleteNumber", contact.phone)),
        group("ram:EmailURIUniversalCommunication", leaf("ram:URIID", contact.email)),
    )


def _address(address: PostalAddress | None) -> XmlNode | None:
    if address is None:
        return None
    return group(
        "ram:PostalTradeAddress",
        leaf("ram:PostcodeCode", address.postcode),
        leaf("ram:LineOne", address.line1),
        leaf("ram:LineTwo", address.line2),
        leaf("ram:LineThree", address.line3),
        leaf("ram:CityName", address.city),
        leaf("ram:CountryID", address.country),
        leaf("ram:CountrySubDivisionName", address.subdivision),
    )


def _electronic_address(address: Identifier | None) -> XmlNode | None:
    return group("ram:URIUniversalCommunication", identifier("ram:URIID", address))


def _tax_registration(number: str | None, scheme: str) -> XmlNode | None:
    return group("ram:SpecifiedTaxRegistration", leaf("ram:ID", number, schemeID=scheme))
