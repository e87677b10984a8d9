"""Seller, buyer, payee and tax representative, read from UBL."""

from collections.abc import Iterator

from chalicelib.engine.einvoice.model import (
    Address,
    Buyer,
    Contact,
    Identifier,
    Payee,
    Seller,
    TaxRepresentative,
)
from chalicelib.engine.einvoice.read_ubl.values import identifier, own_identifier
from chalicelib.engine.einvoice.ubl.parties import CREDITOR_SCHEME
from chalicelib.engine.einvoice.xmlread import Part

_IDENTIFIER = "cac:PartyIdentification/cbc:ID"


def seller(party: Part, *, creditor_apart: bool) -> Seller:
    """Return BG-4; the identifier of the creditor is no other one's if it stands apart (BT-90)."""
    return Seller(
        identifiers=tuple(_identifiers(party, creditor_apart=creditor_apart)),
        name=party.need_text("cac:PartyLegalEntity/cbc:RegistrationName"),
        trading_name=party.text("cac:PartyName/cbc:Name"),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
        legal_info=party.text("cac:PartyLegalEntity/cbc:CompanyLegalForm"),
        vat_id=_tax_registration(party, is_vat=True),
        tax_number=_tax_registration(party, is_vat=False),
        electronic_address=identifier(party, "cbc:EndpointID"),
        address=address(party, "cac:PostalAddress") or party.lack("cac:PostalAddress"),
        contact=_contact(party),
    )


def buyer(party: Part) -> Buyer:
    """Return BG-7."""
    return Buyer(
        identifier=identifier(party, _IDENTIFIER),
        name=party.need_text("cac:PartyLegalEntity/cbc:RegistrationName"),
        trading_name=party.text("cac:PartyName/cbc:Name"),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
        vat_id=_tax_registration(party, is_vat=True),
        electronic_address=identifier(party, "cbc:EndpointID"),
        address=address(party, "cac:PostalAddress"),
        contact=_contact(party),
    )


def payee(party: Part | None, *, creditor_apart: bool) -> Payee | None:
    """Return BG-10."""
    if party is None:
        return None
    return Payee(
        name=party.need_text("cac:PartyName/cbc:Name"),
        identifier=next(_identifiers(party, creditor_apart=creditor_apart), None),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
    )


def tax_representative(party: Part | None) -> TaxRepresentative | None:
    """Return BG-11."""
    if party is None:
        return None
    return TaxRepresentative(
        name=party.need_text("cac:PartyName/cbc:Name"),
        vat_id=_tax_registration(party, is_vat=True) or party.lack("cac:PartyTaxScheme"),
        address=address(party, "cac:PostalAddress") or party.lack("cac:PostalAddress"),
    )


def creditor_id(*parties: Part | None) -> str | None:
    """Return BT-90, which is an identifier of the seller or the payee."""
    for party in parties:
        for found in party.all(_IDENTIFIER) if party else ():
            if found.attribute("schemeID") == CREDITOR_SCHEME:
                return found.value
    return None


def address(part: Part, path: str) -> Address | None:
    """Return an address."""
    found = part.one(path)
    if found is None:
        return None
    return Address(
        line1=found.text("cbc:StreetName"),
        line2=found.text("cbc:AdditionalStreetName"),
        line3=found.text("cac:AddressLine/cbc:Line"),
        city=found.text("cbc:CityName"),
        postcode=found.text("cbc:PostalZone"),
        country=found.need_code("cac:Country/cbc:IdentificationCode"),
        subdivision=found.text("cbc:CountrySubentity"),
    )


def _identifiers(party: Part, *, creditor_apart: bool) -> Iterator[Identifier]:
    for found in party.all(_IDENTIFIER):
        if creditor_apart and found.attribute("schemeID") == CREDITOR_SCHEME:
            continue
        value = own_identifier(found)
        if value:
            yield value


def _tax_registration(party: Part, *, is_vat: bool) -> str | None:
    for found in party.all("cac:PartyTaxScheme"):
        if (found.peek("cac:TaxScheme/cbc:ID").upper() == "VAT") == is_vat:
            found.pass_over("cac:TaxScheme/cbc:ID")
            return found.text("cbc:CompanyID")
    return None


def _contact(party: Part) -> Contact | None:
    found = party.one("cac:Contact")
    if found is None:
        return None
    return Contact(
        name=found.text("cbc:Name"),
        phone=found.text("cbc:Telephone"),
        email=found.text("cbc:ElectronicMail"),
    )
