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
    """The identifier."""
    scheme: k.ShortText | None = None
    """Code of its scheme, such as `0088` (GLN) or `EM` (an email address); null: none."""


class InvoicePeriod(Model):
    """Days from `start` to `end`; either may be open."""

    start: Day | None = None
    """First day, such as `2026-01-01` (BT-73, BT-134); null: open."""
    end: Day | None = None
    """Last day, such as `2026-01-31` (BT-74, BT-135); null: open."""


class InvoiceAddress(Model):
    """A postal address."""

    line1: k.Text | None = None
    """First line, usually street and number (BT-35, BT-50, BT-64, BT-75)."""
    line2: k.Text | None = None
    """Second line (BT-36, BT-51, BT-65, BT-76)."""
    line3: k.Text | None = None
    """Third line (BT-162, BT-163, BT-164, BT-165)."""
    city: k.Text | None = None
    """City (BT-37, BT-52, BT-66, BT-77)."""
    postcode: k.ShortText | None = None
    """Post code (BT-38, BT-53, BT-67, BT-78)."""
    country: k.CountryCode
    """Country: ISO 3166-1, two letters, such as `DE`; `1A` is Kosovo (BT-40, BT-55, BT-69,
    BT-80)."""
    subdivision: k.Text | None = None
    """Region, state or province (BT-39, BT-54, BT-68, BT-79)."""


class InvoiceContact(Model):
    """A contact."""

    name: k.Text | None = None
    """Name of a person or department (BT-41, BT-56)."""
    phone: k.Text | None = None
    """Phone number (BT-42, BT-57)."""
    email: k.Text | None = None
    """Email address (BT-43, BT-58)."""


class InvoiceSeller(Model):
    """The seller (BG-4)."""

    name: k.RequiredText
    """Full legal name (BT-27)."""
    trading_name: k.Text | None = None
    """Name it is known by, if it is another one (BT-28)."""
    identifiers: Annotated[list[InvoiceIdentifier], _ENTRY_LIMIT] | None = None
    """Identifiers, such as a GLN (BT-29)."""
    legal_registration: InvoiceIdentifier | None = None
    """Number in a register of companies (BT-30)."""
    vat_id: k.VatId | None = None
    """VAT identifier with the prefix of its country, such as `DE123456789` (BT-31)."""
    tax_number: k.Text | None = None
    """Local tax number (BT-32)."""
    legal_info: k.LongText | None = None
    """Further legal information, such as the managing directors (BT-33)."""
    electronic_address: InvoiceIdentifier | None = None
    """Address for electronic invoices (BT-34). `scheme` is a code of the list EAS, such as `EM` for
    an email address."""
    address: InvoiceAddress
    """Postal address (BG-5)."""
    contact: InvoiceContact | None = None
    """Contact (BG-6); XRECHNUNG needs it."""


class InvoiceBuyer(Model):
    """The buyer (BG-7). `address` is needed for every profile but MINIMUM."""

    name: k.RequiredText
    """Full name (BT-44)."""
    trading_name: k.Text | None = None
    """Name it is known by, if it is another one (BT-45)."""
    identifier: InvoiceIdentifier | None = None
    """Identifier, such as a GLN or the seller's customer number (BT-46)."""
    legal_registration: InvoiceIdentifier | None = None
    """Number in a register of companies (BT-47)."""
    vat_id: k.VatId | None = None
    """VAT identifier with the prefix of its country (BT-48)."""
    electronic_address: InvoiceIdentifier | None = None
    """Address for electronic invoices (BT-49). `scheme` is a code of the list EAS."""
    address: InvoiceAddress | None = None
    """Postal address (BG-8); needed for every profile but MINIMUM."""
    contact: InvoiceContact | None = None
    """Contact (BG-9)."""


class InvoicePayee(Model):
    """The payee, if it is not the seller (BG-10)."""

    name: k.RequiredText
    """Name (BT-59)."""
    identifier: InvoiceIdentifier | None = None
    """Identifier (BT-60)."""
    legal_registration: InvoiceIdentifier | None = None
    """Number in a register of companies (BT-61)."""


class InvoiceTaxRepresentative(Model):
    """The seller's tax representative (BG-11)."""

    name: k.RequiredText
    """Full name (BT-62)."""
    vat_id: k.VatId
    """VAT identifier with the prefix of its country (BT-63)."""
    address: InvoiceAddress
    """Postal address (BG-12)."""


class InvoiceDelivery(Model):
    """Place, receiver and date of the delivery (BG-13)."""

    party_name: k.Text | None = None
    """Name of the receiver (BT-70)."""
    location: InvoiceIdentifier | None = None
    """Identifier of the place (BT-71)."""
    address: InvoiceAddress | None = None
    """Address of the place (BG-15)."""
    date: Day | None = None
    """Day of the delivery, such as `2026-01-31` (BT-72)."""


class InvoiceVat(Model):
    """A VAT category of UNTDID 5305 and its rate in percent, which only S, L, M and B need."""

    category: k.VatCategory
    """Code of UNTDID 5305, such as `S` for the standard rate (BT-95, BT-102, BT-151)."""
    rate: k.VatRate | None = None
    """Rate in percent, such as `19` (BT-96, BT-103, BT-152). Only S, L, M and B need it."""


class InvoiceVatExemption(Model):
    """The reason why a category has no VAT; one of the two members is needed."""

    reason: k.LongText | None = None
    """The reason in words (BT-120)."""
    reason_code: k.ShortText | None = None
    """Code of the reason in the VATEX list, such as `VATEX-EU-IC` (BT-121)."""


class InvoiceAdjustment(Model):
    """An allowance or a charge of a line: `amount`, or `percent` of `base_amount`."""

    amount: k.Amount | None = None
    """Amount without VAT, in the invoice's currency (BT-92, BT-99, BT-136, BT-141)."""
    percent: k.PreciseDecimal | None = None
    """Percentage of `base_amount` (BT-94, BT-101, BT-138, BT-143)."""
    base_amount: k.Amount | None = None
    """Amount that `percent` is of (BT-93, BT-100, BT-137, BT-142)."""
    reason: k.LongText | None = None
    """The reason in words (BT-97, BT-104, BT-139, BT-144). One of `reason` and `reason_code` is
    needed."""
    reason_code: k.ShortText | None = None
    """Code of the reason (BT-98, BT-105, BT-140, BT-145): UNTDID 5189 for an allowance, UNTDID 7161
    for a charge."""


class InvoiceDocumentAdjustment(InvoiceAdjustment):
    """An allowance or a charge of the whole document, with its VAT."""

    vat: InvoiceVat
    """VAT category and rate of the amount."""


class InvoicePrice(Model):
    """The price of `base_quantity` units (BG-29); `net` is `gross` less `discount`."""

    net: k.PreciseDecimal
    """Price of `base_quantity` units, without VAT (BT-146)."""
    discount: k.PreciseDecimal | None = None
    """What is taken from `gross` (BT-147)."""
    gross: k.PreciseDecimal | None = None
    """Price before the discount, without VAT (BT-148)."""
    base_quantity: k.PreciseDecimal | None = None
    """Number of units that the price is for (BT-149). Null: 1."""
    base_unit: k.UnitCode | None = None
    """Unit of `base_quantity` (BT-150), a code of UN/ECE Recommendation 20. Null: that of the
    line."""


class InvoiceClassification(Model):
    """A classification of the item; `scheme` is a code of UNTDID 7143."""

    id: k.RequiredText
    """Code of the class."""
    scheme: k.RequiredShortText
    """Code of the classification in UNTDID 7143, such as `STI` for CPV."""
    version: k.ShortText | None = None
    """Version of the classification."""


class InvoiceAttribute(Model):
    """A property of the item."""

    name: k.RequiredText
    """Name of the property (BT-160)."""
    value: k.RequiredLongText
    """Value of the property (BT-161)."""


class InvoiceItem(Model):
    """The item that is sold (BG-31)."""

    name: k.RequiredLongText
    """Name (BT-153)."""
    description: k.FreeText | None = None
    """Description (BT-154)."""
    seller_id: k.Text | None = None
    """The seller's number of the item (BT-155)."""
    buyer_id: k.Text | None = None
    """The buyer's number of the item (BT-156)."""
    standard_id: InvoiceIdentifier | None = None
    """Standard number of the item, such as a GTIN with the scheme `0160` (BT-157)."""
    classifications: Annotated[list[InvoiceClassification], _ENTRY_LIMIT] | None = None
    """Classes of the item (BT-158)."""
    origin_country: k.CountryCode | None = None
    """Country of origin: ISO 3166-1, two letters (BT-159)."""
    attributes: Annotated[list[InvoiceAttribute], _ENTRY_LIMIT] | None = None
    """Properties of the item (BG-32)."""


class InvoiceLine(Model):
    """A line (BG-25)."""

    id: k.Text | None = None
    """Id of the line (BT-126). Null: its position, counted from 1."""
    note: k.FreeText | None = None
    """Note on the line (BT-127)."""
    object_identifier: InvoiceIdentifier | None = None
    """Identifier of the object that the line is about, such as a meter (BT-128)."""
    quantity: k.PreciseDecimal
    """Number of units (BT-129)."""
    unit: k.UnitCode | None = "C62"
    """Unit of the quantity (BT-130), a code of UN/ECE Recommendation 20, such as `HUR` for hours;
    `C62` is one piece."""
    net_amount: k.Amount | None = None
    """Amount without VAT (BT-131). Null: it is computed. A value that is sent is taken if it
    differs by at most 0.02."""
    order_line_reference: k.Text | None = None
    """Line of the buyer's order (BT-132)."""
    accounting_reference: k.Text | None = None
    """The buyer's account for the line (BT-133)."""
    period: InvoicePeriod | None = None
    """Days that the line is about (BG-26)."""
    allowances: Annotated[list[InvoiceAdjustment], _ENTRY_LIMIT] | None = None
    """Allowances of the line (BG-27)."""
    charges: Annotated[list[InvoiceAdjustment], _ENTRY_LIMIT] | None = None
    """Charges of the line (BG-28)."""
    price: InvoicePrice
    """Price of the item (BG-29)."""
    vat: InvoiceVat
    """VAT category and rate (BG-30)."""
    item: InvoiceItem
    """The item (BG-31)."""


class InvoiceCreditTransfer(Model):
    """An account to pay to (BG-17)."""

    account_id: k.RequiredShortText
    """Its IBAN, or another account number (BT-84)."""
    account_name: k.Text | None = None
    """Name of the account (BT-85)."""
    bic: k.ShortText | None = None
    """BIC of the bank (BT-86)."""


class InvoiceCard(Model):
    """The card that was paid with (BG-18): at most the first six and the last four digits."""

    primary_account_number: k.RequiredShortText
    """Number of the card (BT-87)."""
    holder_name: k.Text | None = None
    """Name of the card's holder (BT-88)."""


class InvoiceDirectDebit(Model):
    """The direct debit that collects the amount (BG-19)."""

    mandate_reference: k.Text | None = None
    """Reference of the mandate (BT-89)."""
    creditor_id: k.Text | None = None
    """Identifier of the creditor (BT-90)."""
    debited_account: k.ShortText | None = None
    """The IBAN of the account that is debited (BT-91)."""


class InvoicePayment(Model):
    """Payment instructions (BG-16)."""

    means_code: k.PaymentMeansCode
    """How the invoice is paid (BT-81): UNTDID 4461, such as `58` for a SEPA credit transfer."""
    means_text: k.LongText | None = None
    """How the invoice is paid, in words (BT-82)."""
    remittance_information: k.Text | None = None
    """The text of the payment (BT-83)."""
    credit_transfers: Annotated[list[InvoiceCreditTransfer], _ENTRY_LIMIT] | None = None
    """Accounts to pay to (BG-17)."""
    card: InvoiceCard | None = None
    """The card that was paid with (BG-18)."""
    direct_debit: InvoiceDirectDebit | None = None
    """The direct debit that collects the amount (BG-19)."""


class InvoiceNote(Model):
    """A note; `subject_code` is one of UNTDID 4451."""

    subject_code: k.SubjectCode | None = None
    """Subject of the note (BT-21): UNTDID 4451, such as `AAI`."""
    text: k.RequiredFreeText
    """The note (BT-22)."""


class InvoicePreceding(Model):
    """An invoice that this one corrects or follows."""

    number: k.RequiredText
    """Its number (BT-25)."""
    issue_date: Day | None = None
    """Its date (BT-26)."""


class InvoiceSupportingDocument(Model):
    """A document that supports the invoice (BG-24)."""

    id: k.RequiredText
    """Reference of the document (BT-122)."""
    description: k.LongText | None = None
    """Description (BT-123)."""
    url: k.Url | None = None
    """Where the document can be fetched (BT-124)."""
    upload_id: k.UploadId | None = None
    """An upload to embed (BT-125); `filename` and `content_type` are needed beside it. All uploads
    of an invoice together may have 14 MB. Not for an invoice found through `invoice_path`."""
    filename: k.Text | None = None
    """Name of the embedded file; with `upload_id`."""
    content_type: k.Text | None = None
    """Media type of the embedded file; with `upload_id`: PDF, PNG, JPEG, CSV, or a spreadsheet of
    Excel or OpenDocument."""
