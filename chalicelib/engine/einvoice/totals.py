"""Totals of an invoice: line net amounts, VAT breakdown and document totals.

Each amount is rounded to cents where EN 16931 rounds it, half away from zero, and sums are made of
rounded amounts (BR-CO-10 to BR-CO-17).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Final

from chalicelib.engine.einvoice.model import Adjustment, Invoice, InvoiceLine, Vat, VatExemption

ZERO: Final = Decimal("0.00")
_CENT: Final = Decimal("0.01")
# Peppol and KoSIT let BT-131 differ by this much from price times quantity (PEPPOL-EN16931-R120).
_NET_AMOUNT_TOLERANCE: Final = Decimal("0.02")
_HUNDRED: Final = Decimal(100)
_NO_EXEMPTION: Final = VatExemption()
# 60 digits: a product of two values of 16 digits each is exact. The `decimal` module calls half
# away from zero ROUND_HALF_UP.
_EXACT_CONTEXT: Final = Context(prec=60, rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True, kw_only=True)
class VatBreakdown:
    """One VAT category at one rate (BG-23); the rate of category O is None."""

    category: str
    rate: Decimal | None
    taxable_amount: Decimal
    tax_amount: Decimal
    exemption_reason: str | None
    exemption_reason_code: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceTotals:
    """BG-22, BG-23 and BT-131 of each line; all amounts have two decimals."""

    line_net_amounts: tuple[Decimal, ...]
    line_total: Decimal
    allowance_total: Decimal
    charge_total: Decimal
    tax_basis_total: Decimal
    tax_total: Decimal
    grand_total: Decimal
    prepaid_amount: Decimal
    rounding_amount: Decimal
    due_amount: Decimal
    vat_breakdown: tuple[VatBreakdown, ...]


def compute_totals(invoice: Invoice) -> InvoiceTotals:
    """Compute the totals, also of an invoice that breaks rules: the rules compare against them."""
    with localcontext(_EXACT_CONTEXT):
        net_amounts = tuple(_line_net_amount(line) for line in invoice.lines)
        line_total = _sum(net_amounts)
        allowance_total = _sum(map(adjustment_amount, invoice.allowances))
        charge_total = _sum(map(adjustment_amount, invoice.charges))
        basis = line_total - allowance_total + charge_total
        breakdown = _vat_breakdown(invoice, net_amounts)
        tax_total = _sum(part.tax_amount for part in breakdown)
        prepaid = _round(invoice.prepaid_amount or ZERO)
        rounding = _round(invoice.rounding_amount or ZERO)
        return InvoiceTotals(
            line_net_amounts=net_amounts,
            line_total=line_total,
            allowance_total=allowance_total,
            charge_total=charge_total,
            tax_basis_total=basis,
            tax_total=tax_total,
            grand_total=basis + tax_total,
            prepaid_amount=prepaid,
            rounding_amount=rounding,
            due_amount=basis + tax_total - prepaid + rounding,
            vat_breakdown=breakdown,
        )


def adjustment_amount(adjustment: Adjustment) -> Decimal:
    """Return the amount of an allowance or a charge, else its percentage of the base amount.

    ZERO if both are absent, which is a finding of the rules (BR-31, BR-36, BR-41, BR-43).
    """
    if adjustment.amount is not None:
        return _round(adjustment.amount)
    if adjustment.percent is None or adjustment.base_amount is None:
        return ZERO
    with localcontext(_EXACT_CONTEXT):
        return _round(adjustment.base_amount * adjustment.percent / _HUNDRED)


def vat_breakdown_key(vat: Vat) -> tuple[str, Decimal | None]:
    """Return category and rate, by which BG-23 groups amounts; category O has no rate."""
    return vat.category, None if vat.category == "O" else vat.rate or Decimal(0)


def _line_net_amount(line: InvoiceLine) -> Decimal:
    """Return BT-131: net price times quantity by base quantity, less allowances, plus charges.

    The product and each adjustment are rounded before they are added. The line's own amount is
    taken if it is within the tolerance of the sheets, which compare it with the exact product.
    """
    gross = line.price.net * line.quantity
    if line.price.base_quantity:
        gross /= line.price.base_quantity
    adjustments = _sum(map(adjustment_amount, line.charges)) - _sum(
        map(adjustment_amount, line.allowances)
    )
    sent = line.net_amount
    if sent is not None and abs(sent - gross - adjustments) <= _NET_AMOUNT_TOLERANCE:
        return _round(sent)
    return _round(gross) + adjustments


def _vat_breakdown(invoice: Invoice, net_amounts: Sequence[Decimal]) -> tuple[VatBreakdown, ...]:
    taxable: dict[tuple[str, Decimal | None], Decimal] = {}

    def add(vat: Vat, amount: Decimal) -> None:
        key = vat_breakdown_key(vat)
        taxable[key] = taxable.get(key, ZERO) + amount

    for line, net_amount in zip(invoice.lines, net_amounts, strict=True):
        add(line.vat, net_amount)
    for part in invoice.allowances:
        add(part.vat, -adjustment_amount(part))
    for part in invoice.charges:
        add(part.vat, adjustment_amount(part))
    return tuple(
        _vat_breakdown_group(invoice, category, rate, amount)
        for (category, rate), amount in taxable.items()
    )


def _vat_breakdown_group(
    invoice: Invoice, category: str, rate: Decimal | None, taxable_amount: Decimal
) -> VatBreakdown:
    exemption = invoice.vat_exemptions.get(category, _NO_EXEMPTION)
    return VatBreakdown(
        category=category,
        rate=rate,
        taxable_amount=taxable_amount,
        tax_amount=_round(taxable_amount * (rate or ZERO) / _HUNDRED),
        exemption_reason=exemption.reason,
        exemption_reason_code=exemption.reason_code,
    )


def _sum(amounts: Iterable[Decimal]) -> Decimal:
    return sum(amounts, ZERO)


def _round(amount: Decimal) -> Decimal:
    # Adding zero turns -0.00 into 0.00.
    return amount.quantize(_CENT, context=_EXACT_CONTEXT) + ZERO
