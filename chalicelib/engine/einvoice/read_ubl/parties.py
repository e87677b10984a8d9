"""Seller, buyer, payee and tax representative, read from UBL."""

from collections.abc import Iterator

from chalicelib.engine.einvoice.model import (
    Buyer,
    Contact,
    Identifier,
    Payee,
    PostalAddress,
    Seller,
    TaxRepresentative,
)
from chalicelib.engine.einvoice.read_ubl.values import element_identifier, identifier
from chalicelib.engine.einvoice.write_ubl.parties import CREDITOR_ID_SCHEME
from chalicelib.engine.einvoice.xml_reader import ElementReader

_IDENTIFIER_PATH = "cac:PartyIdentification/cbc:ID"


def seller(party: ElementReader, *, exclude_creditor_id: bool) -> Seller:
    """Return BG-4; the identifier of the creditor is no other one's if it stands apart (BT-90)."""
    return Seller(
        identifiers=tuple(_identifiers(party, exclude_creditor_id=exclude_creditor_id)),
        name=party.require_text("cac:PartyLegalEntity/cbc:RegistrationName"),
        trading_name=party.text("cac:PartyName/cbc:Name"),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
        legal_info=party.text("cac:PartyLegalEntity/cbc:CompanyLegalForm"),
        vat_id=_tax_registration(party, is_vat=True),
        tax_number=_tax_registration(party, is_vat=False),
        electronic_address=identifier(party, "cbc:EndpointID"),
        address=postal_address(party, "cac:PostalAddress")
        or party.raise_missing("cac:PostalAddress"),
        contact=_contact(party),
    )


def buyer(party: ElementReader) -> Buyer:
    """Return BG-7."""
    return Buyer(
        identifier=identifier(party, _IDENTIFIER_PATH),
        name=party.require_text("cac:PartyLegalEntity/cbc:RegistrationName"),
        trading_name=party.text("cac:PartyName/cbc:Name"),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
        vat_id=_tax_registration(party, is_vat=True),
        electronic_address=identifier(party, "cbc:EndpointID"),
        address=postal_address(party, "cac:PostalAddress"),
        contact=_contact(party),
    )


def payee(party: ElementReader | None, *, exclude_creditor_id: bool) -> Payee | None:
    """Return BG-10."""
    if party is None:
        return None
    return Payee(
        name=party.require_text("cac:PartyName/cbc:Name"),
        identifier=next(_identifiers(party, exclude_creditor_id=exclude_creditor_id), None),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
    )


def tax_representative(party: ElementReader | None) -> TaxRepresentative | None:
    """Return BG-11."""
    if party is None:
        return None
    return TaxRepresentative(
        name=party.require_text("cac:PartyName/cbc:Name"),
        vat_id=_tax_registration(party, is_vat=True) or party.raise_missing("cac:PartyTaxScheme"),
        address=postal_address(party, "cac:PostalAddress")
        or party.raise_missing("cac:PostalAddress"),
    )


def creditor_id(*parties: ElementReader | None) -> str | None:
    """Return BT-90, which is an identifier of the seller or the payee."""
    for party in parties:
        for found in party.find_all(_IDENTIFIER_PATH) if party else ():
            if found.attribute("schemeID") == CREDITOR_ID_SCHEME:
                return found.own_text
    return None


def postal_address(element: ElementReader, path: str) -> PostalAddress | None:
    """Return an address."""
    found = element.find(path)
    if found is None:
        return None
    return PostalAddress(
        line1=found.text("cbc:StreetName"),
        line2=found.text("cbc:AdditionalStreetName"),
        line3=found.text("cac:AddressLine/cbc:Line"),
        city=found.text("cbc:CityName"),
        postcode=found.text("cbc:PostalZone"),
        country=found.require_code("cac:Country/cbc:IdentificationCode"),
        subdivision=found.text("cbc:CountrySubentity"),
    )


def _identifiers(party: ElementReader, *, exclude_creditor_id: bool) -> Iterator[Identifier]:
    for found in party.find_all(_IDENTIFIER_PATH):
        if exclude_creditor_id and found.attribute("schemeID") == CREDITOR_ID_SCHEME:
            continue
        value = element_identifier(found)
        if value:
            yield value


def _tax_registration(party: ElementReader, *, is_vat: bool) -> str | None:
    for found in party.find_all("cac:PartyTaxScheme"):
        if (found.peek("cac:TaxScheme/cbc:ID").upper() == "VAT") == is_vat:
            found.mark_read("cac:TaxScheme/cbc:ID")
            return found.text("cbc:CompanyID")
    return None


def _contact(party: ElementReader) -> Contact | None:
    found = party.find("cac:Contact")
    if found is None:
        return None
    return Contact(
        name=found.text("cbc:Name"),
        phone=found.text("cbc:Telephone"),
        email=found.text("cbc:ElectronicMail"),
    )
