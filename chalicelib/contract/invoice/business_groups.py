"""Business groups of an invoice: parties, lines, prices, allowances, payment."""

from typing import Annotated

from pydantic import Field

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Day
from chalicelib.contract.invoice import field_types as k
from chalicelib.contract.invoice.constraints import MAX_ENTRIES

_ENTRY_LIMIT = Field(max_length=MAX_ENTRIES)


class InvoiceIdentifier(Model):
    """An identifier, and the scheme of ISO 6523 or EAS that it belongs to."""

    id: k.RequiredText
    scheme: k.ShortText | None = None


class InvoicePeriod(Model):
    """Days from `start` to `end`; either may be open."""

    start: Day | None = None
    end: Day | None = None


class InvoiceAddress(Model):
    """A postal address."""

    line1: k.Text | None = None
    line2: k.Text | None = None
    line3: k.Text | None = None
    city: k.Text | None = None
    postcode: k.ShortText | None = None
    country: k.CountryCode
    """ISO 3166-1, two letters; `1A` is Kosovo."""
    subdivision: k.Text | None = None


class InvoiceContact(Model):
    """A contact."""

    name: k.Text | None = None
    phone: k.Text | None = None
    email: k.Text | None = None


class InvoiceSeller(Model):
    """The seller (BG-4)."""

    name: k.RequiredText
    trading_name: k.Text | None = None
    identifiers: Annotated[list[InvoiceIdentifier], _ENTRY_LIMIT] | None = None
    legal_registration: InvoiceIdentifier | None = None
    vat_id: k.VatId | None = None
    """With the prefix of its country."""
    tax_number: k.Text | None = None
    legal_info: k.LongText | None = None
    electronic_address: InvoiceIdentifier | None = None
    """`scheme` is a code of the list EAS, such as `EM` for an email address."""
    address: InvoiceAddress
    contact: InvoiceContact | None = None


class InvoiceBuyer(Model):
    """The buyer (BG-7). `address` is needed for every profile but MINIMUM."""

    name: k.RequiredText
    trading_name: k.Text | None = None
    identifier: InvoiceIdentifier | None = None
    legal_registration: InvoiceIdentifier | None = None
    vat_id: k.VatId | None = None
    electronic_address: InvoiceIdentifier | None = None
    address: InvoiceAddress | None = None
    contact: InvoiceContact | None = None


class InvoicePayee(Model):
    """The payee, if it is not the seller (BG-10)."""

    name: k.RequiredText
    identifier: InvoiceIdentifier | None = None
    legal_registration: InvoiceIdentifier | None = None


class InvoiceTaxRepresentative(Model):
    """The seller's tax representative (BG-11)."""

    name: k.RequiredText
    vat_id: k.VatId
    address: InvoiceAddress


class InvoiceDelivery(Model):
    """Place, receiver and date of the delivery (BG-13)."""

    party_name: k.Text | None = None
    location: InvoiceIdentifier | None = None
    address: InvoiceAddress | None = None
    date: Day | None = None


class InvoiceVat(Model):
    """A VAT category of UNTDID 5305 and its rate in percent, which only S, L, M and B need."""

    category: k.VatCategory
    rate: k.VatRate | None = None


class InvoiceVatExemption(Model):
    """The reason why a category has no VAT; one of the two members is needed."""

    reason: k.LongText | None = None
    reason_code: k.ShortText | None = None


class InvoiceAdjustment(Model):
    """An allowance or a charge of a line: `amount`, or `percent` of `base_amount`."""

    amount: k.Amount | None = None
    percent: k.PreciseDecimal | None = None
    base_amount: k.Amount | None = None
    reason: k.LongText | None = None
    """One of `reason` and `reason_code` is needed."""
    reason_code: k.ShortText | None = None
    """UNTDID 5189 for an allowance, UNTDID 7161 for a charge."""


class InvoiceDocumentAdjustment(InvoiceAdjustment):
    """An allowance or a charge of the whole document, with its VAT."""

    vat: InvoiceVat


class InvoicePrice(Model):
    """The price of `base_quantity` units (BG-29); `net` is `gross` less `discount`."""

    net: k.PreciseDecimal
    discount: k.PreciseDecimal | None = None
    gross: k.PreciseDecimal | None = None
    base_quantity: k.PreciseDecimal | None = None
    base_unit: k.UnitCode | None = None


class InvoiceClassification(Model):
    """A classification of the item; `scheme` is a code of UNTDID 7143."""

    id: k.RequiredText
    scheme: k.RequiredShortText
    version: k.ShortText | None = None


class InvoiceAttribute(Model):
    """A property of the item."""

    name: k.RequiredText
    value: k.RequiredLongText


class InvoiceItem(Model):
    """The item that is sold (BG-31)."""

    name: k.RequiredLongText
    description: k.FreeText | None = None
    seller_id: k.Text | None = None
    buyer_id: k.Text | None = None
    standard_id: InvoiceIdentifier | None = None
    classifications: Annotated[list[InvoiceClassification], _ENTRY_LIMIT] | None = None
    origin_country: k.CountryCode | None = None
    attributes: Annotated[list[InvoiceAttribute], _ENTRY_LIMIT] | None = None


class InvoiceLine(Model):
    """A line (BG-25)."""

    id: k.Text | None = None
    """Default: the position of the line, counted from 1."""
    note: k.FreeText | None = None
    object_identifier: InvoiceIdentifier | None = None
    quantity: k.PreciseDecimal
    unit: k.UnitCode | None = "C62"
    """A code of UN/ECE Recommendation 20."""
    net_amount: k.Amount | None = None
    """Optional: it is computed. A value that is sent is taken if it differs by at most 0.02."""
    order_line_reference: k.Text | None = None
    accounting_reference: k.Text | None = None
    period: InvoicePeriod | None = None
    allowances: Annotated[list[InvoiceAdjustment], _ENTRY_LIMIT] | None = None
    charges: Annotated[list[InvoiceAdjustment], _ENTRY_LIMIT] | None = None
    price: InvoicePrice
    vat: InvoiceVat
    item: InvoiceItem


class InvoiceCreditTransfer(Model):
    """An account to pay to (BG-17)."""

    account_id: k.RequiredShortText
    """Its IBAN, or another account number (BT-84)."""
    account_name: k.Text | None = None
    bic: k.ShortText | None = None


class InvoiceCard(Model):
    """The card that was paid with (BG-18): at most the first six and the last four digits."""

    primary_account_number: k.RequiredShortText
    holder_name: k.Text | None = None


class InvoiceDirectDebit(Model):
    """The direct debit that collects the amount (BG-19)."""

    mandate_reference: k.Text | None = None
    creditor_id: k.Text | None = None
    debited_account: k.ShortText | None = None
    """The IBAN of the account that is debited (BT-91)."""


class InvoicePayment(Model):
    """Payment instructions (BG-16)."""

    means_code: k.PaymentMeansCode
    """UNTDID 4461, such as `58` for a SEPA credit transfer."""
    means_text: k.LongText | None = None
    remittance_information: k.Text | None = None
    """The text of the payment (BT-83)."""
    credit_transfers: Annotated[list[InvoiceCreditTransfer], _ENTRY_LIMIT] | None = None
    card: InvoiceCard | None = None
    direct_debit: InvoiceDirectDebit | None = None


class InvoiceNote(Model):
    """A note; `subject_code` is one of UNTDID 4451."""

    subject_code: k.SubjectCode | None = None
    text: k.RequiredFreeText


class InvoicePreceding(Model):
    """An invoice that this one corrects or follows."""

    number: k.RequiredText
    issue_date: Day | None = None


class InvoiceSupportingDocument(Model):
    """A document that supports the invoice (BG-24)."""

    id: k.RequiredText
    description: k.LongText | None = None
    url: k.Url | None = None
    upload_id: k.UploadId | None = None
    """An upload to embed; `filename` and `content_type` are needed beside it. All uploads of an
    invoice together may have 14 MB. Not for an invoice found through `invoice_path`."""
    filename: k.Text | None = None
    content_type: k.Text | None = None
    """PDF, PNG, JPEG, CSV, or a spreadsheet of Excel or OpenDocument."""
