"""How to pay, as CII."""

import re
from typing import Final

from chalicelib.engine.einvoice.model import CreditTransfer, Payment
from chalicelib.engine.einvoice.xmlwrite import Node, group, leaf

_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{1,30}")


def creditor_id(payment: Payment | None) -> str | None:
    """Return BT-90."""
    return payment.direct_debit.creditor_id if payment and payment.direct_debit else None


def mandate_reference(payment: Payment | None) -> str | None:
    """Return BT-89."""
    return payment.direct_debit.mandate_reference if payment and payment.direct_debit else None


def payment_means(payment: Payment | None) -> tuple[Node | None, ...]:
    """Return BG-16: an element for each account, card and debit in the first."""
    if payment is None:
        return ()
    first, *others = payment.credit_transfers or (None,)
    return (
        _means(payment, first, _card(payment), _debited_account(payment)),
        *(_means(payment, transfer) for transfer in others),
    )


def _means(payment: Payment, transfer: CreditTransfer | None, *first: Node | None) -> Node | None:
    return group(
        "ram:SpecifiedTradeSettlementPaymentMeans",
        leaf("ram:TypeCode", payment.means_code),
        leaf("ram:Information", payment.means_text),
        *first,
        *(_account(transfer) if transfer else ()),
    )


def _card(payment: Payment) -> Node | None:
    if payment.card is None:
        return None
    return group(
        "ram:ApplicableTradeSettlementFinancialCard",
        leaf("ram:ID", payment.card.primary_account_number),
        leaf("ram:CardholderName", payment.card.holder_name),
    )


def _debited_account(payment: Payment) -> Node | None:
    if payment.direct_debit is None:
        return None
    return group(
        "ram:PayerPartyDebtorFinancialAccount",
        leaf("ram:IBANID", payment.direct_debit.debited_iban),
    )


def _account(transfer: CreditTransfer) -> tuple[Node | None, ...]:
    is_iban = _IBAN.fullmatch(transfer.iban)
    return (
        group(
            "ram:PayeePartyCreditorFinancialAccount",
            leaf("ram:IBANID", transfer.iban) if is_iban else None,
            leaf("ram:AccountName", transfer.account_name),
            None if is_iban else leaf("ram:ProprietaryID", transfer.iban),
        ),
        group("ram:PayeeSpecifiedCreditorFinancialInstitution", leaf("ram:BICID", transfer.bic)),
    )
