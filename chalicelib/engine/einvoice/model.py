"""The invoice of EN 16931, as the contract names its fields."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from chalicelib.engine.einvoice import values as v


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """An identifier and the scheme that it belongs to."""

    id: v.Text
    scheme: v.Short | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days from `start` to `end`; either may be open."""

    start: dt.date | None = None
    end: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A postal address."""

    line1: v.Text | None = None
    line2: v.Text | None = None
    line3: v.Text | None = None
    city: v.Text | None = None
    postcode: v.Short | None = None
    country: v.Country
    subdivision: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Whom to ask."""

    name: v.Text | None = None
    phone: v.Text | None = None
    email: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seller:
    """BG-4."""

    name: v.Text
    trading_name: v.Text | None = None
    identifiers: tuple[Identifier, ...] = ()
    legal_registration: Identifier | None = None
    vat_id: v.VatId | None = None
    tax_number: v.Text | None = None
    legal_info: v.Wide | None = None
    electronic_address: Identifier | None = None
    address: Address
    contact: Contact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """BG-7."""

    name: v.Text
    trading_name: v.Text | None = None
    identifier: Identifier | None = None
    legal_registration: Identifier | None = None
    vat_id: v.VatId | None = None
    electronic_address: Identifier | None = None
    address: Address | None = None
    contact: Contact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payee:
    """BG-10."""

    name: v.Text
    identifier: Identifier | None = None
    legal_registration: Identifier | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxRepresentative:
    """BG-11."""

    name: v.Text
    vat_id: v.VatId
    address: Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """BG-13."""

    party_name: v.Text | None = None
    location: Identifier | None = None
    address: Address | None = None
    date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vat:
    """A VAT category of UNTDID 5305 and its rate in percent."""

    category: v.Category
    rate: v.Rate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VatExemption:
    """Why a category has no VAT (BT-120, BT-121)."""

    reason: v.Wide | None = None
    reason_code: v.Short | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """An allowance or a charge of a line: an amount, or a share of a base amount."""

    amount: v.Amount | None = None
    percent: v.Fine | None = None
    base_amount: v.Amount | None = None
    reason: v.Wide | None = None
    reason_code: v.Short | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAdjustment(Adjustment):
    """An allowance or a charge of the whole document, with its VAT."""

    vat: Vat


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """BG-29: what `base_quantity` units cost."""

    net: v.Fine
    discount: v.Fine | None = None
    gross: v.Fine | None = None
    base_quantity: v.Fine | None = None
    base_unit: v.Unit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """BT-158."""

    id: v.Text
    scheme: v.Short
    version: v.Short | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """BG-32."""

    name: v.Text
    value: v.Wide


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """BG-31."""

    name: v.Wide
    description: v.Prose | None = None
    seller_id: v.Text | None = None
    buyer_id: v.Text | None = None
    standard_id: Identifier | None = None
    classifications: tuple[Classification, ...] = ()
    origin_country: v.Country | None = None
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """BG-25. `net_amount` is what the caller says it is, if anything: see totals."""

    id: v.Text
    note: v.Prose | None = None
    object_identifier: Identifier | None = None
    quantity: v.Fine
    unit: v.Unit = "C62"
    net_amount: v.Amount | None = None
    order_line_reference: v.Text | None = None
    accounting_reference: v.Text | None = None
    period: Period | None = None
    allowances: tuple[Adjustment, ...] = ()
    charges: tuple[Adjustment, ...] = ()
    price: Price
    vat: Vat
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditTransfer:
    """BG-17."""

    iban: v.Short
    account_name: v.Text | None = None
    bic: v.Short | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """BG-18."""

    primary_account_number: v.Short
    holder_name: v.Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectDebit:
    """BG-19."""

    mandate_reference: v.Text | None = None
    creditor_id: v.Text | None = None
    debited_iban: v.Short | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """BG-16."""

    means_code: v.Means
    means_text: v.Wide | None = None
    reference: v.Text | None = None
    credit_transfers: tuple[CreditTransfer, ...] = ()
    card: Card | None = None
    direct_debit: DirectDebit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """BG-1."""

    subject_code: v.Subject | None = None
    text: v.Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecedingInvoice:
    """BG-3."""

    number: v.Text
    issue_date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportingDocument:
    """BG-24."""

    id: v.Text
    description: v.Wide | None = None
    url: v.Url | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """An invoice or a credit note, without what follows from it (see totals)."""

    number: v.Text
    issue_date: dt.date
    due_date: dt.date | None = None
    tax_point_date: dt.date | None = None
    type_code: v.TypeCode = "380"
    currency: v.Currency
    tax_currency: v.Currency | None = None
    tax_total_in_tax_currency: v.Amount | None = None
    tax_point_date_code: v.TaxPointCode | None = None
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
    payment_terms: v.Terms | None = None
    prepaid_amount: v.Amount | None = None
    rounding_amount: v.Amount | None = None
    invoiced_object: Identifier | None = None
    invoice_period: Period | None = None
    notes: tuple[Note, ...] = ()
    preceding_invoices: tuple[PrecedingInvoice, ...] = ()
    supporting_documents: tuple[SupportingDocument, ...] = ()
    allowances: tuple[DocumentAdjustment, ...] = ()
    charges: tuple[DocumentAdjustment, ...] = ()
    lines: Annotated[tuple[Line, ...], v.LINES]
    delivery: Delivery | None = None
    payee: Payee | None = None
    tax_representative: TaxRepresentative | None = None
    vat_exemptions: Mapping[v.Category, VatExemption] = field(default_factory=dict)
    seller: Seller
    buyer: Buyer
    payment: Payment | None = None
