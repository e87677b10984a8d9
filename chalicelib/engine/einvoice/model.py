"""The invoice of EN 16931, as the contract names its fields."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """An identifier and the scheme that it belongs to."""

    id: str
    scheme: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """Days from `start` to `end`; either may be open."""

    start: dt.date | None = None
    end: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A postal address."""

    line1: str | None = None
    line2: str | None = None
    line3: str | None = None
    city: str | None = None
    postcode: str | None = None
    country: str
    subdivision: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """Whom to ask."""

    name: str | None = None
    phone: str | None = None
    email: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seller:
    """BG-4."""

    name: str
    trading_name: str | None = None
    identifiers: tuple[Identifier, ...] = ()
    legal_registration: Identifier | None = None
    vat_id: str | None = None
    tax_number: str | None = None
    legal_info: str | None = None
    electronic_address: Identifier | None = None
    address: Address
    contact: Contact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """BG-7."""

    name: str
    trading_name: str | None = None
    identifier: Identifier | None = None
    legal_registration: Identifier | None = None
    vat_id: str | None = None
    electronic_address: Identifier | None = None
    address: Address | None = None
    contact: Contact | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payee:
    """BG-10."""

    name: str
    identifier: Identifier | None = None
    legal_registration: Identifier | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaxRepresentative:
    """BG-11."""

    name: str
    vat_id: str
    address: Address


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """BG-13."""

    party_name: str | None = None
    location: Identifier | None = None
    address: Address | None = None
    date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vat:
    """A VAT category of UNTDID 5305 and its rate in percent."""

    category: str
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VatExemption:
    """Why a category has no VAT (BT-120, BT-121)."""

    reason: str | None = None
    reason_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """An allowance or a charge of a line: an amount, or a share of a base amount."""

    amount: Decimal | None = None
    percent: Decimal | None = None
    base_amount: Decimal | None = None
    reason: str | None = None
    reason_code: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentAdjustment(Adjustment):
    """An allowance or a charge of the whole document, with its VAT."""

    vat: Vat


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """BG-29: what `base_quantity` units cost."""

    net: Decimal
    discount: Decimal | None = None
    gross: Decimal | None = None
    base_quantity: Decimal | None = None
    base_unit: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """BT-158."""

    id: str
    scheme: str
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """BG-32."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """BG-31."""

    name: str
    description: str | None = None
    seller_id: str | None = None
    buyer_id: str | None = None
    standard_id: Identifier | None = None
    classifications: tuple[Classification, ...] = ()
    origin_country: str | None = None
    attributes: tuple[Attribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """BG-25. `net_amount` is what the caller says it is, if anything: see totals."""

    id: str
    note: str | None = None
    object_identifier: Identifier | None = None
    quantity: Decimal
    unit: str = "C62"
    net_amount: Decimal | None = None
    order_line_reference: str | None = None
    accounting_reference: str | None = None
    period: Period | None = None
    allowances: tuple[Adjustment, ...] = ()
    charges: tuple[Adjustment, ...] = ()
    price: Price
    vat: Vat
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class CreditTransfer:
    """BG-17."""

    iban: str
    account_name: str | None = None
    bic: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """BG-18."""

    primary_account_number: str
    holder_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectDebit:
    """BG-19."""

    mandate_reference: str | None = None
    creditor_id: str | None = None
    debited_iban: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """BG-16."""

    means_code: str
    means_text: str | None = None
    reference: str | None = None
    credit_transfers: tuple[CreditTransfer, ...] = ()
    card: Card | None = None
    direct_debit: DirectDebit | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """BG-1."""

    subject_code: str | None = None
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecedingInvoice:
    """BG-3."""

    number: str
    issue_date: dt.date | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportingDocument:
    """BG-24."""

    id: str
    description: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """An invoice or a credit note, without what follows from it (see totals)."""

    number: str
    issue_date: dt.date
    due_date: dt.date | None = None
    tax_point_date: dt.date | None = None
    type_code: str = "380"
    currency: str
    tax_currency: str | None = None
    tax_total_in_tax_currency: Decimal | None = None
    tax_point_date_code: str | None = None
    buyer_reference: str | None = None
    buyer_accounting_reference: str | None = None
    contract_reference: str | None = None
    despatch_advice_reference: str | None = None
    order_reference: str | None = None
    project_reference: str | None = None
    receiving_advice_reference: str | None = None
    sales_order_reference: str | None = None
    tender_reference: str | None = None
    process_id: str | None = None
    payment_terms: str | None = None
    prepaid_amount: Decimal | None = None
    rounding_amount: Decimal | None = None
    invoiced_object: Identifier | None = None
    invoice_period: Period | None = None
    notes: tuple[Note, ...] = ()
    preceding_invoices: tuple[PrecedingInvoice, ...] = ()
    supporting_documents: tuple[SupportingDocument, ...] = ()
    allowances: tuple[DocumentAdjustment, ...] = ()
    charges: tuple[DocumentAdjustment, ...] = ()
    lines: tuple[Line, ...]
    delivery: Delivery | None = None
    payee: Payee | None = None
    tax_representative: TaxRepresentative | None = None
    vat_exemptions: Mapping[str, VatExemption] = field(default_factory=lambda: MappingProxyType({}))
    seller: Seller
    buyer: Buyer
    payment: Payment | None = None
