"""Seller, buyer, payee, tax representative and whom the goods go to, read from CII."""

from chalicelib.engine.einvoice.model import (
    Address,
    Buyer,
    Contact,
    Delivery,
    Identifier,
    Payee,
    Seller,
    TaxRepresentative,
)
from chalicelib.engine.einvoice.read_cii.values import (
    identifier,
    moment,
    party_identifier,
    party_identifiers,
    tax_number,
)
from chalicelib.engine.einvoice.xmlread import Part


def seller(party: Part) -> Seller:
    """Return BG-4."""
    return Seller(
        identifiers=tuple(party_identifiers(party)),
        name=party.need_text("ram:Name"),
        trading_name=_trading_name(party),
        legal_registration=_registration(party),
        legal_info=party.text("ram:Description"),
        vat_id=tax_number(party, "VA"),
        tax_number=tax_number(party, "FC"),
        electronic_address=_electronic_address(party),
        address=_address(party) or party.lack("ram:PostalTradeAddress"),
        contact=_contact(party),
    )


def buyer(party: Part) -> Buyer:
    """Return BG-7."""
    return Buyer(
        identifier=party_identifier(party),
        name=party.need_text("ram:Name"),
        trading_name=_trading_name(party),
        legal_registration=_registration(party),
        vat_id=tax_number(party, "VA"),
        electronic_address=_electronic_address(party),
        address=_address(party),
        contact=_contact(party),
    )


def tax_representative(party: Part | None) -> TaxRepresentative | None:
    """Return BG-11."""
    if party is None:
        return None
    return TaxRepresentative(
        name=party.need_text("ram:Name"),
        vat_id=tax_number(party, "VA") or party.lack("ram:SpecifiedTaxRegistration"),
        address=_address(party) or party.lack("ram:PostalTradeAddress"),
    )


def payee(party: Part | None) -> Payee | None:
    """Return BG-10."""
    if party is None:
        return None
    return Payee(
        name=party.need_text("ram:Name"),
        identifier=party_identifier(party),
        legal_registration=_registration(party),
    )


def delivery(part: Part) -> Delivery | None:
    """Return BG-13."""
    party = part.one("ram:ShipToTradeParty")
    found = Delivery(
        party_name=party.text("ram:Name") if party else None,
        location=party_identifier(party) if party else None,
        address=_address(party) if party else None,
        date=moment(part, "ram:ActualDeliverySupplyChainEvent/ram:OccurrenceDateTime"),
    )
    return None if found == Delivery() else found


def _trading_name(party: Part) -> str | None:
    return party.text("ram:SpecifiedLegalOrganization/ram:TradingBusinessName")


def _registration(party: Part) -> Identifier | None:
    return identifier(party, "ram:SpecifiedLegalOrganization/ram:ID")


def _electronic_address(party: Part) -> Identifier | None:
    return identifier(party, "ram:URIUniversalCommunication/ram:URIID")


def _contact(party: Part) -> Contact | None:
    found = party.one("ram:DefinedTradeContact")
    if found is None:
        return None
    return Contact(
        name=found.text("ram:PersonName"),
        phone=found.text("ram:TelephoneUniversalCommunication/ram:CompleteNumber"),
        email=found.text("ram:EmailURIUniversalCommunication/ram:URIID"),
    )


def _address(party: Part) -> Address | None:
    found = party.one("ram:PostalTradeAddress")
    if found is None:
        return None
    return Address(
        line1=found.text("ram:LineOne"),
        line2=found.text("ram:LineTwo"),
        line3=found.text("ram:LineThree"),
        city=found.text("ram:CityName"),
        postcode=found.text("ram:PostcodeCode"),
        country=found.need_code("ram:CountryID"),
        subdivision=found.text("ram:CountrySubDivisionName"),
    )
