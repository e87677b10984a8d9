"""Rules of the VAT categories (EN 16931, 6.4.3)."""

from collections.abc import Iterator, Sequence
from typing import Final

from chalicelib.engine.einvoice.model import Invoice, Vat
from chalicelib.engine.einvoice.profiles import InvoiceProfile, Syntax
from chalicelib.engine.einvoice.rules.lines import RuleViolation

# Part of the rule names by category of UNTDID 5305: BR-IC-05 is a rule of category K.
_RULE_PREFIXES: Final = {
    "S": "S",
    "Z": "Z",
    "E": "E",
    "AE": "AE",
    "K": "IC",
    "G": "G",
    "O": "O",
    "L": "AF",
    "M": "AG",
}
# Split payment in Italy: it has only two rules of its own, and any rate.
_SPLIT_PAYMENT: Final = "B"
_ZERO_RATED: Final = frozenset({"Z", "E", "AE", "K", "G"})
_EXEMPT: Final = frozenset({"E", "AE", "K", "G", "O"})
_VAT_ID_REQUIRED: Final = frozenset({"K", "G"})
# Each category numbers its rules alike: 02 to 04 are about the parties, 05 to 07 about the rate,
# each for lines, allowances and charges.
_LINES, _ALLOWANCES, _CHARGES = range(3)

type _VatUsage = tuple[int, str, Vat]


def vat_violations(
    invoice: Invoice, profile: InvoiceProfile, syntax: Syntax
) -> Iterator[RuleViolation]:
    """Yield the violations of the VAT of lines, allowances and charges.

    Only EXTENDED allows category O together with others, or with a VAT identifier.
    """
    usages = list(_vat_usages(invoice))
    for kind, path, vat in usages:
        yield from _rate(kind, path, vat, syntax)
    first_uses = {vat.category: kind for kind, _, vat in reversed(usages)}
    for category, kind in first_uses.items():
        if category == _SPLIT_PAYMENT:
            continue
        yield from _exemption(invoice, category)
        if category != "O":
            yield from _parties(invoice, category, f"BR-{_RULE_PREFIXES[category]}-{2 + kind:02}")
    if _SPLIT_PAYMENT in first_uses:
        yield from _split_payment(invoice, usages, syntax)
    if "K" in first_uses:
        yield from _intra_community_supply(invoice, syntax)
    if "O" in first_uses and profile.name != "EXTENDED":
        yield from _not_subject_to_vat(invoice, usages, f"BR-O-{2 + first_uses['O']:02}")


def split_payments_without_rate(invoice: Invoice) -> Iterator[tuple[str, Vat]]:
    """Yield path and VAT of each use of category B without a rate.

    The model requires one, where the official sheets do not.
    """
    for _, path, vat in _vat_usages(invoice):
        if vat.category == _SPLIT_PAYMENT and vat.rate is None:
            yield path, vat


def _vat_usages(invoice: Invoice) -> Iterator[_VatUsage]:
    for n, line in enumerate(invoice.lines):
        yield _LINES, f"lines[{n}].vat", line.vat
    for n, each in enumerate(invoice.allowances):
        yield _ALLOWANCES, f"allowances[{n}].vat", each.vat
    for n, each in enumerate(invoice.charges):
        yield _CHARGES, f"charges[{n}].vat", each.vat


def _rate(kind: int, path: str, vat: Vat, syntax: Syntax) -> Iterator[RuleViolation]:
    rate, category = vat.rate, vat.category
    if category == _SPLIT_PAYMENT:
        if rate is None:
            yield "PLT-REQUIRED", f"{path}.rate", f"is required for the category {category}"
        return
    if category == "O":
        is_valid, expected = not rate, "must be left out"
    elif category in _ZERO_RATED:
        is_valid, expected = not rate, "must be 0"
    # The UBL sheet accepts a rate of 0 for the Canary Islands (L), the CII sheet does not.
    elif category == "S" or (category == "L" and syntax == "cii"):
        is_valid, expected = bool(rate), "must be more than 0"
    else:
        is_valid, expected = rate is not None, "is required"
    if not is_valid:
        rule = f"BR-{_RULE_PREFIXES[category]}-{5 + kind:02}"
        yield rule, f"{path}.rate", f"{expected} for the category {category}"


def _exemption(invoice: Invoice, category: str) -> Iterator[RuleViolation]:
    exemption = invoice.vat_exemptions.get(category)
    has_reason = exemption is not None and bool(exemption.reason or exemption.reason_code)
    rule, path = f"BR-{_RULE_PREFIXES[category]}-10", f"vat_exemptions.{category}"
    if category in _EXEMPT and not has_reason:
        yield rule, path, f"is required with a reason or a reason_code for the category {category}"
    if category not in _EXEMPT and has_reason:
        yield rule, path, f"must be left out: the category {category} is not exempt"


def _parties(invoice: Invoice, category: str, rule: str) -> Iterator[RuleViolation]:
    seller, buyer, representative = invoice.seller, invoice.buyer, invoice.tax_representative
    message = f"is required for the category {category}"
    if category in _VAT_ID_REQUIRED:
        if not (seller.vat_id or representative):
            yield rule, "seller.vat_id", f"{message}, or tax_representative"
    elif not (seller.vat_id or seller.tax_number or representative):
        yield rule, "seller.vat_id", f"{message}, or tax_number or tax_representative"
    if category == "K" and not buyer.vat_id:
        yield rule, "buyer.vat_id", message
    if category == "AE" and not (buyer.vat_id or buyer.legal_registration):
        yield rule, "buyer.vat_id", f"{message}, or legal_registration"


def _not_subject_to_vat(
    invoice: Invoice, usages: Sequence[_VatUsage], rule: str
) -> Iterator[RuleViolation]:
    for name in ("seller", "buyer", "tax_representative"):
        if getattr(getattr(invoice, name), "vat_id", None):
            yield rule, f"{name}.vat_id", "must be left out for the category O"
    for kind, path, vat in usages:
        if vat.category != "O":
            message = "must be O, as another one is: no other category may stand beside it"
            yield f"BR-O-{12 + kind}", f"{path}.category", message


def _split_payment(
    invoice: Invoice, usages: Sequence[_VatUsage], syntax: Syntax
) -> Iterator[RuleViolation]:
    message = "must be IT for the category B, which is split payment in Italy"
    for name in ("seller", "buyer", "tax_representative", "delivery"):
        address = getattr(getattr(invoice, name), "address", None)
        if address and address.country != "IT":
            yield "BR-B-01", f"{name}.address.country", message
    # The UBL sheet looks at every country of the document, the CII sheet at those of addresses.
    for n, line in enumerate(invoice.lines if syntax == "ubl" else ()):
        if line.item.origin_country not in {None, "IT"}:
            yield "BR-B-01", f"lines[{n}].item.origin_country", message
    for _, path, vat in usages:
        if vat.category == "S":
            yield "BR-B-02", f"{path}.category", "must not be S, as another one is B"


def _intra_community_supply(invoice: Invoice, syntax: Syntax) -> Iterator[RuleViolation]:
    delivery = invoice.delivery
    message = "is required for the category K"
    # In UBL the code is an element of the period, and the sheet accepts the period for it.
    has_period = invoice.invoice_period or (syntax == "ubl" and invoice.tax_point_date_code)
    if not (has_period or (delivery and delivery.date)):
        yield "BR-IC-11", "delivery.date", f"{message}, or invoice_period"
    if not (delivery and delivery.address):
        yield "BR-IC-12", "delivery.address", message
