"""UBL parties: seller, buyer, payee and tax representative."""

from typing import Final

from chalicelib.engine.einvoice.model import (
    Buyer,
    Contact,
    Identifier,
    Invoice,
    Payee,
    PostalAddress,
    TaxRepresentative,
)
from chalicelib.engine.einvoice.profiles import InvoiceProfile
from chalicelib.engine.einvoice.write_ubl.values import identifier, tax_scheme
from chalicelib.engine.einvoice.xml_writer import XmlNode, group, leaf

# Scheme of the creditor identifier (BT-90), which UBL has among the identifiers of a party.
CREDITOR_ID_SCHEME: Final = "SEPA"
# Tax scheme of the tax number (BT-32), which is not a VAT identifier.
_TAX_NUMBER_SCHEME: Final = "FC"
# Peppol looks for the word "Foretaksregisteret" of Norwegian sellers under this one (NO-R-002).
_NORWEGIAN_SCHEME: Final = "TAX"


def seller_party(invoice: Invoice, profile: InvoiceProfile) -> XmlNode | None:
    """Return the seller (BG-4); its identifiers include the creditor identifier (BT-90)."""
    seller = invoice.seller
    is_norwegian = profile.name == "PEPPOL" and seller.address.country == "NO"
    tax_number_scheme = _NORWEGIAN_SCHEME if is_norwegian else _TAX_NUMBER_SCHEME
    debit = invoice.payment.direct_debit if invoice.payment else None
    return group(
        "cac:AccountingSupplierParty",
        group(
            "cac:Party",
            identifier("cbc:EndpointID", seller.electronic_address),
            *map(_identification, seller.identifiers),
            _creditor_identification(debit.creditor_id if debit else None),
            _party_name(seller.trading_name),
            postal_address("cac:PostalAddress", seller.address),
            _tax_registration(seller.vat_id, "VAT"),
            _tax_registration(seller.tax_number, tax_number_scheme),
            group(
                "cac:PartyLegalEntity",
                leaf("cbc:RegistrationName", seller.name),
                identifier("cbc:CompanyID", seller.legal_registration),
                leaf("cbc:CompanyLegalForm", seller.legal_info),
            ),
            _contact(seller.contact),
        ),
    )


def buyer_party(buyer: Buyer) -> XmlNode | None:
    """Return the buyer (BG-7)."""
    return group(
        "cac:AccountingCustomerParty",
        group(
            "cac:Party",
            identifier("cbc:EndpointID", buyer.electronic_address),
            _identification(buyer.identifier),
            _party_name(buyer.trading_name),
            postal_address("cac:PostalAddress", buyer.address),
            _tax_registration(buyer.vat_id, "VAT"),
            group(
                "cac:PartyLegalEntity",
                leaf("cbc:RegistrationName", buyer.name),
                identifier("cbc:CompanyID", buyer.legal_registration),
            ),
            _contact(buyer.contact),
        ),
    )


def payee_party(payee: Payee | None) -> XmlNode | None:
    """Return the payee (BG-10)."""
    if payee is None:
        return None
    return group(
        "cac:PayeeParty",
        _identification(payee.identifier),
        _party_name(payee.name),
        group("cac:PartyLegalEntity", identifier("cbc:CompanyID", payee.legal_registration)),
    )


def tax_representative_party(representative: TaxRepresentative | None) -> XmlNode | None:
    """Return the tax representative (BG-11)."""
    if representative is None:
        return None
    return group(
        "cac:TaxRepresentativeParty",
        _party_name(representative.name),
        postal_address("cac:PostalAddress", representative.address),
        _tax_registration(representative.vat_id, "VAT"),
    )


def postal_address(tag: str, address: PostalAddress | None) -> XmlNode | None:
    """Return a postal address as an element of this tag."""
    if address is None:
        return None
    return group(
        tag,
        leaf("cbc:StreetName", address.line1),
        leaf("cbc:AdditionalStreetName", address.line2),
        leaf("cbc:CityName", address.city),
        leaf("cbc:PostalZone", address.postcode),
        leaf("cbc:CountrySubentity", address.subdivision),
        group("cac:AddressLine", leaf("cbc:Line", address.line3)),
        group("cac:Country", leaf("cbc:IdentificationCode", address.country)),
    )


def _identification(value: Identifier | None) -> XmlNode | None:
    return group("cac:PartyIdentification", identifier("cbc:ID", value))


def _creditor_identification(creditor_id: str | None) -> XmlNode | None:
    if creditor_id is None:
        return None
    return _identification(Identifier(id=creditor_id, scheme=CREDITOR_ID_SCHEME))


def _party_name(name: str | None) -> XmlNode | None:
    return group("cac:PartyName", leaf("cbc:Name", name))


def _tax_registration(number: str | None, scheme: str) -> XmlNode | None:
    if not number:
        return None
    return group("cac:PartyTaxScheme", leaf("cbc:CompanyID", number), tax_scheme(scheme))


def _contact(contact: Contact | None) -> XmlNode | None:
    if contact is None:
        return None
    return group(
        "cac:Contact",
        leaf("cbc:Name", contact.name),
        leaf("cbc:Telephone", contact.phone),
        leaf("cbc:ElectronicMail", contact.email),
    )
