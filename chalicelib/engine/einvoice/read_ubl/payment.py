"""How to pay, read from UBL."""

from collections.abc import Iterator, Sequence

from chalicelib.engine.einvoice.model import Card, CreditTransfer, DirectDebit, Payment
from chalicelib.engine.einvoice.read_ubl.parties import creditor_id
from chalicelib.engine.einvoice.xmlread import Part

_CODE = "cbc:PaymentMeansCode"


def payment(root: Part, *parties: Part | None) -> Payment | None:
    """Return BG-16; elements of another kind of payment than the first stay unread."""
    every = list(root.all("cac:PaymentMeans"))
    if not every:
        return None
    first = every[0]
    code = first.need_code(_CODE)
    reference = first.text("cbc:PaymentID")
    same = [first, *(means for means in every[1:] if means.has(_CODE, code))]
    for means in same[1:]:
        means.confirm("cbc:PaymentID", reference)
    return Payment(
        means_code=code,
        means_text=first.need(_CODE).attribute("name"),
        reference=reference,
        credit_transfers=tuple(_transfers(same)),
        card=_card(first),
        direct_debit=_direct_debit(first, creditor_id(*parties)),
    )


def _transfers(every: Sequence[Part]) -> Iterator[CreditTransfer]:
    for means in every:
        account = means.one("cac:PayeeFinancialAccount")
        number = account and account.text("cbc:ID")
        if account and number:
            yield CreditTransfer(
                iban=number,
                account_name=account.text("cbc:Name"),
                bic=account.text("cac:FinancialInstitutionBranch/cbc:ID"),
            )


def _card(means: Part) -> Card | None:
    card = means.one("cac:CardAccount")
    if card is None:
        return None
    card.pass_over("cbc:NetworkID")
    return Card(
        primary_account_number=card.need_text("cbc:PrimaryAccountNumberID"),
        holder_name=card.text("cbc:HolderName"),
    )


def _direct_debit(means: Part, creditor: str | None) -> DirectDebit | None:
    debit = DirectDebit(
        mandate_reference=means.text("cac:PaymentMandate/cbc:ID"),
        creditor_id=creditor,
        debited_iban=means.text("cac:PaymentMandate/cac:PayerFinancialAccount/cbc:ID"),
    )
    return None if debit == DirectDebit() else debit
