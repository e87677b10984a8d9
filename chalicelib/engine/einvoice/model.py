"""Invoice of EN 16931 as frozen dataclasses, with the field names of the contract.

The constraints of a field stand in its annotation (`data_types`); `read_json` enforces them.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from chalicelib.engine.einvoice import data_types as v


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """An identifier and its scheme, a code of ISO 6523 or EAS."""

    id: v.Text
    scheme: v.ShortText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days from `start` to `end`; either may be open."""

    start: dt.date | None = None
    end: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PostalAddress:
    """A postal address."""

    line1: v.Text | None = None
    line2: v.Text | None = None
    line3: v.Text | None = None
    city: v.Text | None = None
    postcode: v.ShortText | None = None
    country: v.CountryCode
    subdivision: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """A contact of the seller or the buyer (BG-6, BG-9)."""

    name: v.Text | None = None
    phone: v.Text | None = None
    email: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seller:
    """The seller (BG-4)."""

    name: v.Text
    trading_name: v.Text | None = None
    identifiers: tuple[Identifier, ...] = ()
    legal_registration: Identifier | None = None
    vat_id: v.VatId | None = None
    tax_number: v.Text | None = None
    legal_info: v.LongText | None = None
    electronic_address: Identifier | None = None
    address: PostalAddress
    contact: Contact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """The buyer (BG-7)."""

    name: v.Text
    trading_name: v.Text | None = None
    identifier: Identifier | None = None
    legal_registration: Identifier | None = None
    vat_id: v.VatId | None = None
    electronic_address: Identifier | None = None
    address: PostalAddress | None = None
    contact: Contact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payee:
    """The payee, if it is not the seller (BG-10)."""

    name: v.Text
    identifier: Identifier | None = None
    legal_registration: Identifier | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxRepresentative:
    """The seller's tax representative (BG-11)."""

    name: v.Text
    vat_id: v.VatId
    address: PostalAddress


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryInformation:
    """The delivery: place, receiver and date (BG-13)."""

    party_name: v.Text | None = None
    location: Identifier | None = None
    address: PostalAddress | None = None
    date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vat:
    """A VAT category of UNTDID 5305 and its rate in percent."""

    category: v.VatCategoryCode
    rate: v.VatRate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VatExemption:
    """The reason why a category has no VAT (BT-120, BT-121)."""

    reason: v.LongText | None = None
    reason_code: v.ShortText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """An allowance or a charge of a line (BG-27, BG-28): an amount, or a percentage of a base."""

    amount: v.Amount | None = None
    percent: v.PreciseDecimal | None = None
    base_amount: v.Amount | None = None
    reason: v.LongText | None = None
    reason_code: v.ShortText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAdjustment(Adjustment):
    """An allowance or a charge of the whole document, with its VAT (BG-20, BG-21)."""

    vat: Vat


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceDetails:
    """The price of `base_quantity` units (BG-29)."""

    net: v.PreciseDecimal
    discount: v.PreciseDecimal | None = None
    gross: v.PreciseDecimal | None = None
    base_quantity: v.PreciseDecimal | None = None
    base_unit: v.UnitCode | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemClassification:
    """A classification of the item (BT-158)."""

    id: v.Text
    scheme: v.ShortText
    version: v.ShortText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemAttribute:
    """A property of the item (BG-32)."""

    name: v.Text
    value: v.LongText


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceItem:
    """The item that is sold (BG-31)."""

    name: v.LongText
    description: v.FreeText | None = None
    seller_id: v.Text | None = None
    buyer_id: v.Text | None = None
    standard_id: Identifier | None = None
    classifications: tuple[ItemClassification, ...] = ()
    origin_country: v.CountryCode | None = None
    attributes: tuple[ItemAttribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceLine:
    """A line (BG-25). `net_amount` is the caller's value, which is near the computed one."""

    id: v.Text
    note: v.FreeText | None = None
    object_identifier: Identifier | None = None
    quantity: v.PreciseDecimal
    unit: v.UnitCode = "C62"
    net_amount: v.Amount | None = None
    order_line_reference: v.Text | None = None
    accounting_reference: v.Text | None = None
    period: Period | None = None
    allowances: tuple[Adjustment, ...] = ()
    charges: tuple[Adjustment, ...] = ()
    price: PriceDetails
    vat: Vat
    item: InvoiceItem


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditTransfer:
    """An account to pay to (BG-17)."""

    account_id: v.ShortText
    account_name: v.Text | None = None
    bic: v.ShortText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentCard:
    """The card that was used (BG-18); at most its first six and last four digits (BR-51)."""

    primary_account_number: v.ShortText
    holder_name: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectDebit:
    """The direct debit (BG-19)."""

    mandate_reference: v.Text | None = None
    creditor_id: v.Text | None = None
    debited_account: v.ShortText | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentInstructions:
    """The payment instructions (BG-16)."""

    means_code: v.PaymentMeansCode
    means_text: v.LongText | None = None
    remittance_information: v.Text | None = None
    credit_transfers: tuple[CreditTransfer, ...] = ()
    card: PaymentCard | None = None
    direct_debit: DirectDebit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceNote:
    """A note and its subject code of UNTDID 4451 (BG-1)."""

    subject_code: v.SubjectCode | None = None
    text: v.FreeText


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecedingInvoice:
    """An earlier invoice that this one corrects or follows (BG-3)."""

    number: v.Text
    issue_date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportingDocument:
    """A document that supports the invoice (BG-24); an upload is embedded (BT-125)."""

    id: v.Text
    description: v.LongText | None = None
    url: v.Url | None = None
    upload_id: v.UploadId | None = None
    filename: v.Text | None = None
    content_type: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """An invoice or a credit note. Computed amounts are not part of it: see `totals`."""

    number: v.Text
    issue_date: dt.date
    due_date: dt.date | None = None
    tax_point_date: dt.date | None = None
    type_code: v.InvoiceTypeCode = "380"
    currency: v.CurrencyCode
    tax_currency: v.CurrencyCode | None = None
    tax_total_in_tax_currency: v.Amount | None = None
    tax_point_date_code: v.TaxPointDateCode | None = None
    buyer_reference: v.Text | None = None
    buyer_accounting_reference: v.Text | None = None
    contract_reference: v.Text | None = None
    despatch_advice_reference: v.Text | None = None
    order_reference: v.Text | None = None
    project_reference: v.Text | None = None
    receiving_advice_reference: v.Text | None = None
    sales_order_reference: v.Text | None = None
    tender_reference: v.Text | None = None
    process_id: v.Text | None = None
    payment_terms: v.PaymentTermsText | None = None
    prepaid_amount: v.Amount | None = None
    rounding_amount: v.Amount | None = None
    invoiced_object: Identifier | None = None
    invoice_period: Period | None = None
    notes: tuple[InvoiceNote, ...] = ()
    preceding_invoices: tuple[PrecedingInvoice, ...] = ()
    supporting_documents: tuple[SupportingDocument, ...] = ()
    allowances: tuple[DocumentAdjustment, ...] = ()
    charges: tuple[DocumentAdjustment, ...] = ()
    lines: Annotated[tuple[InvoiceLine, ...], v.LINES_CONSTRAINT]
    delivery: DeliveryInformation | None = None
    payee: Payee | None = None
    tax_representative: TaxRepresentative | None = None
    vat_exemptions: Mapping[v.VatCategoryCode, VatExemption] = field(default_factory=dict)
    seller: Seller
    buyer: Buyer
    payment: PaymentInstructions | None = None
