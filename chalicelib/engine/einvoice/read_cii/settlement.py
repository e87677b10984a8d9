"""CII settlement reader: payment, VAT exemptions and tax point."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence

from chalicelib.engine.einvoice.model import (
    CreditTransfer,
    DirectDebit,
    PaymentCard,
    PaymentInstructions,
    VatExemption,
)
from chalicelib.engine.einvoice.read_cii.values import read_date
from chalicelib.engine.einvoice.write_cii.settlement import CII_TAX_POINT_CODES
from chalicelib.engine.einvoice.xml_reader import ElementReader

# CII has codes of UNTDID 2475, the model those of UNTDID 2005.
_TAX_POINT_CODE_BY_CII_CODE = {cii_code: code for code, cii_code in CII_TAX_POINT_CODES.items()}


def payment(settlement: ElementReader) -> PaymentInstructions | None:
    """Return BG-16; payment means with another code than the first stay unread."""
    all_means = list(settlement.find_all("ram:SpecifiedTradeSettlementPaymentMeans"))
    if not all_means:
        return None
    first = all_means[0]
    code = first.require_code("ram:TypeCode")
    text = first.text("ram:Information")
    same_code = [first, *(means for means in all_means[1:] if means.has_code("ram:TypeCode", code))]
    for means in same_code[1:]:
        means.mark_read_if_equal("ram:Information", text)
    return PaymentInstructions(
        means_code=code,
        means_text=text,
        remittance_information=settlement.text("ram:PaymentReference"),
        credit_transfers=tuple(_credit_transfers(same_code)),
        card=_card(first),
        direct_debit=_direct_debit(settlement, first),
    )


def vat_exemptions(settlement: ElementReader) -> Mapping[str, VatExemption]:
    """Return the exemption reasons by category; a second, different one stays unread."""
    exemptions: dict[str, VatExemption] = {}
    for tax in settlement.find_all("ram:ApplicableTradeTax"):
        tax.mark_read(
            "ram:CalculatedAmount", "ram:TypeCode", "ram:BasisAmount", "ram:RateApplicablePercent"
        )
        category = tax.require_code("ram:CategoryCode")
        known = exemptions.get(category)
        if known:
            tax.mark_read_if_equal("ram:ExemptionReason", known.reason)
            tax.mark_read_if_equal("ram:ExemptionReasonCode", known.reason_code)
            continue
        exemption = VatExemption(
            reason=tax.text("ram:ExemptionReason"), reason_code=tax.code("ram:ExemptionReasonCode")
        )
        if exemption != VatExemption():
            exemptions[category] = exemption
    return exemptions


def tax_point_date(settlement: ElementReader) -> dt.date | None:
    """Return the tax point date (BT-7)."""
    return read_date(settlement, "ram:ApplicableTradeTax/ram:TaxPointDate", "udt:DateString")


def tax_point_code(settlement: ElementReader) -> str | None:
    """Return the VAT point date code (BT-8); a code that EN 16931 does not allow stays unread."""
    for element in settlement.find_all("ram:ApplicableTradeTax/ram:DueDateTypeCode"):
        code = _TAX_POINT_CODE_BY_CII_CODE.get((element.lxml_element.text or "").strip())
        if code:
            settlement.mark_read("ram:ApplicableTradeTax/ram:DueDateTypeCode")
            return code
    return None


def _credit_transfers(payment_means: Sequence[ElementReader]) -> Iterator[CreditTransfer]:
    for means in payment_means:
        account = means.find("ram:PayeePartyCreditorFinancialAccount")
        # ProprietaryID is the number of an account without an IBAN.
        number = account and (account.text("ram:IBANID") or account.text("ram:ProprietaryID"))
        if account and number:
            yield CreditTransfer(
                account_id=number,
                account_name=account.text("ram:AccountName"),
                bic=means.text("ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"),
            )


def _card(means: ElementReader) -> PaymentCard | None:
    card = means.find("ram:ApplicableTradeSettlementFinancialCard")
    if card is None:
        return None
    return PaymentCard(
        primary_account_number=card.require_text("ram:ID"),
        holder_name=card.text("ram:CardholderName"),
    )


def _direct_debit(settlement: ElementReader, means: ElementReader) -> DirectDebit | None:
    debit = DirectDebit(
        mandate_reference=settlement.text(
            "ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID"
        ),
        creditor_id=settlement.text("ram:CreditorReferenceID"),
        debited_account=means.text("ram:PayerPartyDebtorFinancialAccount/ram:IBANID"),
    )
    return None if debit == DirectDebit() else debit
