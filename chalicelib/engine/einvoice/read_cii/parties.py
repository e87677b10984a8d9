"""CII party reader: seller, buyer, payee, tax representative and delivery."""

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
from chalicelib.engine.einvoice.read_cii.values import (
    identifier,
    party_identifier,
    party_identifiers,
    read_date,
    tax_registration,
)
from chalicelib.engine.einvoice.xml_reader import ElementReader


def seller(party: ElementReader) -> Seller:
    """Return the seller (BG-4)."""
    return Seller(
        identifiers=tuple(party_identifiers(party)),
        name=party.require_text("ram:Name"),
        trading_name=_trading_name(party),
        legal_registration=_registration(party),
        legal_info=party.text("ram:Description"),
        vat_id=tax_registration(party, "VA"),
        tax_number=tax_registration(party, "FC"),
        electronic_address=_electronic_address(party),
        address=_address(party) or party.raise_missing("ram:PostalTradeAddress"),
        contact=_contact(party),
    )


def buyer(party: ElementReader) -> Buyer:
    """Return the buyer (BG-7)."""
    return Buyer(
        identifier=party_identifier(party),
        name=party.require_text("ram:Name"),
        trading_name=_trading_name(party),
        legal_registration=_registration(party),
        vat_id=tax_registration(party, "VA"),
        electronic_address=_electronic_address(party),
        address=_address(party),
        contact=_contact(party),
    )


def tax_representative(party: ElementReader | None) -> TaxRepresentative | None:
    """Return the tax representative (BG-11)."""
    if party is None:
        return None
    return TaxRepresentative(
        name=party.require_text("ram:Name"),
        vat_id=tax_registration(party, "VA") or party.raise_missing("ram:SpecifiedTaxRegistration"),
        address=_address(party) or party.raise_missing("ram:PostalTradeAddress"),
    )


def payee(party: ElementReader | None) -> Payee | None:
    """Return the payee (BG-10)."""
    if party is None:
        return None
    return Payee(
        name=party.require_text("ram:Name"),
        identifier=party_identifier(party),
        legal_registration=_registration(party),
    )


def delivery(element: ElementReader) -> DeliveryInformation | None:
    """Return the delivery (BG-13)."""
    party = element.find("ram:ShipToTradeParty")
    information = DeliveryInformation(
        party_name=party.text("ram:Name") if party else None,
        location=party_identifier(party) if party else None,
        address=_address(party) if party else None,
        date=read_date(element, "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime"),
    )
    return None if information == DeliveryInformation() else information


def _trading_name(party: ElementReader) -> str | None:
    return party.text("ram:SpecifiedLegalOrganization/ram:TradingBusinessName")


def _registration(party: ElementReader) -> Identifier | None:
    return identifier(party, "ram:SpecifiedLegalOrganization/ram:ID")


def _electronic_address(party: ElementReader) -> Identifier | None:
    return identifier(party, "ram:URIUniversalCommunication/ram:URIID")


def _contact(party: ElementReader) -> Contact | None:
    contact = party.find("ram:DefinedTradeContact")
    if contact is None:
        return None
    return Contact(
        name=contact.text("ram:PersonName"),
        phone=contact.text("ram:TelephoneUniversalCommunication/ram:CompleteNumber"),
        email=contact.text("ram:EmailURIUniversalCommunication/ram:URIID"),
    )


def _address(party: ElementReader) -> PostalAddress | None:
    address = party.find("ram:PostalTradeAddress")
    if address is None:
        return None
    return PostalAddress(
        line1=address.text("ram:LineOne"),
        line2=address.text("ram:LineTwo"),
        line3=address.text("ram:LineThree"),
        city=address.text("ram:CityName"),
        postcode=address.text("ram:PostcodeCode"),
        country=address.require_code("ram:CountryID"),
        subdivision=address.text("ram:CountrySubDivisionName"),
    )
