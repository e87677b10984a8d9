"""How to pay, read from CII."""

from collections.abc import Iterator, Sequence

from chalicelib.engine.einvoice.model import Card, CreditTransfer, DirectDebit, Payment
from chalicelib.engine.einvoice.xmlread import Part


def payment(settlement: Part) -> Payment | None:
    """Return BG-16; elements of another kind of payment than the first stay unread."""
    every = list(settlement.all("ram:SpecifiedTradeSettlementPaymentMeans"))
    if not every:
        return None
    first = every[0]
    code = first.need_code("ram:TypeCode")
    text = first.text("ram:Information")
    same = [first, *(means for means in every[1:] if means.has("ram:TypeCode", code))]
    for means in same[1:]:
        means.confirm("ram:Information", text)
    return Payment(
        means_code=code,
        means_text=text,
        reference=settlement.text("ram:PaymentReference"),
        credit_transfers=tuple(_transfers(same)),
        card=_card(first),
        direct_debit=_direct_debit(settlement, first),
    )


def _transfers(every: Sequence[Part]) -> Iterator[CreditTransfer]:
    for means in every:
        account = means.one("ram:PayeePartyCreditorFinancialAccount")
        number = account and (account.text("ram:IBANID") or account.text("ram:ProprietaryID"))
        if account and number:
            yield CreditTransfer(
                iban=number,
                account_name=account.text("ram:AccountName"),
                bic=means.text("ram:PayeeSpecifiedCreditorFinancialInstitution/ram:BICID"),
            )


def _card(means: Part) -> Card | None:
    card = means.one("ram:ApplicableTradeSettlementFinancialCard")
    if card is None:
        return None
    return Card(
        primary_account_number=card.need_text("ram:ID"),
        holder_name=card.text("ram:CardholderName"),
    )


def _direct_debit(settlement: Part, means: Part) -> DirectDebit | None:
    debit = DirectDebit(
        mandate_reference=settlement.text(
            "ram:SpecifiedTradePaymentTerms/ram:DirectDebitMandateID"
        ),
        creditor_id=settlement.text("ram:CreditorReferenceID"),
        debited_iban=means.text("ram:PayerPartyDebtorFinancialAccount/ram:IBANID"),
    )
    return None if debit == DirectDebit() else debit
