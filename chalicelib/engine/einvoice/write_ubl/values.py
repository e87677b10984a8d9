"""UBL elements that recur: identifiers, periods, money, VAT categories, allowances, charges."""

from decimal import Decimal

from chalicelib.engine.einvoice.model import (
    Adjustment,
    DocumentAdjustment,
    Identifier,
    Period,
    Vat,
)
from chalicelib.engine.einvoice.totals import adjustment_amount
from chalicelib.engine.einvoice.xml_writer import (
    XmlNode,
    format_amount,
    format_date,
    format_rate,
    group,
    leaf,
)


def identifier(tag: str, value: Identifier | None) -> XmlNode | None:
    """Return an identifier with its scheme as an element of this tag."""
    return None if value is None else leaf(tag, value.id, schemeID=value.scheme)


def money(tag: str, value: Decimal | None, currency: str | None) -> XmlNode | None:
    """Return an amount of money with its currency."""
    return leaf(tag, format_amount(value), currencyID=currency)


def invoice_period(period: Period | None, *, code: str | None = None) -> XmlNode | None:
    """Return a period; that of the document also has the VAT point date code (BT-8)."""
    return group(
        "cac:InvoicePeriod",
        leaf("cbc:StartDate", format_date(period.start if period else None)),
        leaf("cbc:EndDate", format_date(period.end if period else None)),
        leaf("cbc:DescriptionCode", code),
    )


def tax_scheme(name: str = "VAT") -> XmlNode | None:
    """Return the tax scheme."""
    return group("cac:TaxScheme", leaf("cbc:ID", name))


def tax_category(tag: str, vat: Vat) -> XmlNode | None:
    """Return the VAT of a line, an allowance or a charge; category O has no rate (BR-O-05)."""
    applied = None if vat.category == "O" else format_rate(vat.rate) or "0"
    return group(tag, leaf("cbc:ID", vat.category), leaf("cbc:Percent", applied), tax_scheme())


def allowance_charge(
    adjustment: Adjustment, currency: str, *, charge: bool, category: XmlNode | None = None
) -> XmlNode | None:
    """Return an allowance or a charge; `category` is the VAT that only those of a document have."""
    return group(
        "cac:AllowanceCharge",
        leaf("cbc:ChargeIndicator", "true" if charge else "false"),
        leaf("cbc:AllowanceChargeReasonCode", adjustment.reason_code),
        leaf("cbc:AllowanceChargeReason", adjustment.reason),
        leaf("cbc:MultiplierFactorNumeric", format_rate(adjustment.percent)),
        money("cbc:Amount", adjustment_amount(adjustment), currency),
        money("cbc:BaseAmount", adjustment.base_amount, currency),
        category,
    )


def document_adjustment(
    adjustment: DocumentAdjustment, currency: str, *, charge: bool
) -> XmlNode | None:
    """Return an allowance or a charge of the document, with its VAT."""
    category = tax_category("cac:TaxCategory", adjustment.vat)
    return allowance_charge(adjustment, currency, charge=charge, category=category)
