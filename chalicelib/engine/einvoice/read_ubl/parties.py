"""UBL party reader: seller, buyer, payee and tax representative."""

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
    """Return the seller (BG-4).

    With `exclude_creditor_id` the creditor identifier (BT-90) is not among the identifiers: the
    payment instructions have it.
    """
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
    """Return the buyer (BG-7)."""
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
    """Return the payee (BG-10)."""
    if party is None:
        return None
    return Payee(
        name=party.require_text("cac:PartyName/cbc:Name"),
        identifier=next(_identifiers(party, exclude_creditor_id=exclude_creditor_id), None),
        legal_registration=identifier(party, "cac:PartyLegalEntity/cbc:CompanyID"),
    )


def tax_representative(party: ElementReader | None) -> TaxRepresentative | None:
    """Return the tax representative (BG-11)."""
    if party is None:
        return None
    return TaxRepresentative(
        name=party.require_text("cac:PartyName/cbc:Name"),
        vat_id=_tax_registration(party, is_vat=True) or party.raise_missing("cac:PartyTaxScheme"),
        address=postal_address(party, "cac:PostalAddress")
        or party.raise_missing("cac:PostalAddress"),
    )


def creditor_id(*parties: ElementReader | None) -> str | None:
    """Return the creditor identifier (BT-90), which stands with the seller or the payee."""
    for party in parties:
        for element in party.find_all(_IDENTIFIER_PATH) if party else ():
            if element.attribute("schemeID") == CREDITOR_ID_SCHEME:
                return element.own_text
    return None


def postal_address(element: ElementReader, path: str) -> PostalAddress | None:
    """Return the postal address at a path."""
    address = element.find(path)
    if address is None:
        return None
    return PostalAddress(
        line1=address.text("cbc:StreetName"),
        line2=address.text("cbc:AdditionalStreetName"),
        line3=address.text("cac:AddressLine/cbc:Line"),
        city=address.text("cbc:CityName"),
        postcode=address.text("cbc:PostalZone"),
        country=address.require_code("cac:Country/cbc:IdentificationCode"),
        subdivision=address.text("cbc:CountrySubentity"),
    )


def _identifiers(party: ElementReader, *, exclude_creditor_id: bool) -> Iterator[Identifier]:
    for element in party.find_all(_IDENTIFIER_PATH):
        if exclude_creditor_id and element.attribute("schemeID") == CREDITOR_ID_SCHEME:
            continue
        value = element_identifier(element)
        if value:
            yield value


def _tax_registration(party: ElementReader, *, is_vat: bool) -> str | None:
    for tax_scheme in party.find_all("cac:PartyTaxScheme"):
        # A scheme other than VAT holds the tax number (BT-32).
        if (tax_scheme.peek("cac:TaxScheme/cbc:ID").upper() == "VAT") == is_vat:
            tax_scheme.mark_read("cac:TaxScheme/cbc:ID")
            return tax_scheme.text("cbc:CompanyID")
    return None


def _contact(party: ElementReader) -> Contact | None:
    contact = party.find("cac:Contact")
    if contact is None:
        return None
    return Contact(
        name=contact.text("cbc:Name"),
        phone=contact.text("cbc:Telephone"),
        email=contact.text("cbc:ElectronicMail"),
    )
