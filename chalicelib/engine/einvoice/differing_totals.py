"""Amounts of a received invoice that differ from those computed from its lines."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Final

from chalicelib.engine.einvoice.located_values import LocatedMessage, UnreadableInvoiceError
from chalicelib.engine.einvoice.model import Vat
from chalicelib.engine.einvoice.totals import InvoiceTotals, VatBreakdown, vat_breakdown_key
from chalicelib.engine.einvoice.xml_reader import ElementReader


@dataclass(frozen=True, slots=True)
class TotalPaths:
    """Paths of the computed amounts in a syntax."""

    totals: str
    """The element of the document totals (BG-22)."""
    amounts: Mapping[str, str]
    """Element of `totals` by the name of the total in InvoiceTotals."""
    tax_total: str
    """BT-110, once for each currency."""
    vat_breakdown: str
    """BG-23, and within it: category, rate, taxable amount and VAT."""
    category: str
    rate: str
    taxable_amount: str
    tax_amount: str


_MAX_CATEGORY: Final = 10
_CII_SETTLEMENT: Final = "rsm:SupplyChainTradeTransaction/ram:ApplicableHeaderTradeSettlement"
_CII_SUMMATION: Final = f"{_CII_SETTLEMENT}/ram:SpecifiedTradeSettlementHeaderMonetarySummation"
CII_TOTALS: Final = TotalPaths(
    totals=_CII_SUMMATION,
    amounts=MappingProxyType(
        {
            "line_total": "ram:LineTotalAmount",
            "allowance_total": "ram:AllowanceTotalAmount",
            "charge_total": "ram:ChargeTotalAmount",
            "tax_basis_total": "ram:TaxBasisTotalAmount",
            "grand_total": "ram:GrandTotalAmount",
            "due_amount": "ram:DuePayableAmount",
        }
    ),
    tax_total=f"{_CII_SUMMATION}/ram:TaxTotalAmount",
    vat_breakdown=f"{_CII_SETTLEMENT}/ram:ApplicableTradeTax",
    category="ram:CategoryCode",
    rate="ram:RateApplicablePercent",
    taxable_amount="ram:BasisAmount",
    tax_amount="ram:CalculatedAmount",
)
UBL_TOTALS: Final = TotalPaths(
    totals="cac:LegalMonetaryTotal",
    amounts=MappingProxyType(
        {
            "line_total": "cbc:LineExtensionAmount",
            "allowance_total": "cbc:AllowanceTotalAmount",
            "charge_total": "cbc:ChargeTotalAmount",
            "tax_basis_total": "cbc:TaxExclusiveAmount",
            "grand_total": "cbc:TaxInclusiveAmount",
            "due_amount": "cbc:PayableAmount",
        }
    ),
    tax_total="cac:TaxTotal/cbc:TaxAmount",
    vat_breakdown="cac:TaxTotal/cac:TaxSubtotal",
    category="cac:TaxCategory/cbc:ID",
    rate="cac:TaxCategory/cbc:Percent",
    taxable_amount="cbc:TaxableAmount",
    tax_amount="cbc:TaxAmount",
)


def differing_totals(
    root: ElementReader, computed: InvoiceTotals, currency: str, paths: TotalPaths
) -> Iterator[LocatedMessage]:
    """Yield the totals of a document that differ from the computed ones (BG-22, BG-23)."""
    stated = root.require(paths.totals)
    for name, path in paths.amounts.items():
        yield from _difference(name, stated.find(path), getattr(computed, name))
    for amount in root.find_all(paths.tax_total):
        if amount.attribute("currencyID") in {currency, None}:
            yield from _difference("tax_total", amount, computed.tax_total)
            break
    yield from _differing_vat(root, computed, currency, paths)


def _differing_vat(
    root: ElementReader, computed: InvoiceTotals, currency: str, paths: TotalPaths
) -> Iterator[LocatedMessage]:
    breakdown: dict[tuple[str, Decimal | None], VatBreakdown] = {
        vat_breakdown_key(Vat(category=part.category, rate=part.rate)): part
        for part in computed.vat_breakdown
    }
    for stated in root.find_all(paths.vat_breakdown):
        taxable, tax = stated.find(paths.taxable_amount), stated.find(paths.tax_amount)
        if tax is not None and tax.attribute("currencyID") not in {currency, None}:
            continue
        rate = _amount(stated.find(paths.rate))
        vat = Vat(category=stated.peek(paths.category), rate=rate)
        part = breakdown.get(vat_breakdown_key(vat))
        name = _vat_name(vat)
        for kind, element in (("taxable_amount", taxable), ("tax_amount", tax)):
            amount = getattr(part, kind) if part else Decimal(0)
            yield from _difference(f"{kind} of {name}", element, amount)


def _vat_name(vat: Vat) -> str:
    rate = "" if vat.rate is None else f" at {vat.rate} %"
    return f"the VAT category {vat.category[:_MAX_CATEGORY]}{rate}"


def _difference(
    name: str, element: ElementReader | None, computed: Decimal
) -> Iterator[LocatedMessage]:
    amount = _amount(element)
    if element is not None and amount not in {None, computed}:
        message = f"{name} is {amount} in the document; from its lines follows {computed}"
        yield LocatedMessage(location=element.location, message=message)


def _amount(element: ElementReader | None) -> Decimal | None:
    """Return an amount; None for an unreadable one, which the validators report."""
    if element is None:
        return None
    try:
        return element.own_number()
    except UnreadableInvoiceError:
        return None
