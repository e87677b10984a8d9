"""How and until when to pay, as UBL."""

import datetime as dt
from typing import Final

from chalicelib.engine.einvoice.model import CreditTransfer, Invoice, Payment
from chalicelib.engine.einvoice.xmlwrite import Node, day, group, leaf, payment_terms

# UNTDID 4461: not defined. A credit note has its due date in the means of payment only.
UNDEFINED_MEANS: Final = "1"
# UBL demands the network of a card; EN 16931 has none.
_NETWORK: Final = "NA"


def payment_means(invoice: Invoice, *, due_date: dt.date | None) -> tuple[Node | None, ...]:
    """Return BG-16: an element for each account, card and debit in the first."""
    payment = invoice.payment
    if payment is None:
        if due_date is None:
            return ()
        payment = Payment(means_code=UNDEFINED_MEANS)
    first, *others = payment.credit_transfers or (None,)
    return (
        _means(payment, first, due_date=due_date, is_first=True),
        *(_means(payment, transfer) for transfer in others),
    )


def terms(invoice: Invoice) -> Node | None:
    """Return BT-20."""
    return group("cac:PaymentTerms", leaf("cbc:Note", payment_terms(invoice)))


def _means(
    payment: Payment,
    transfer: CreditTransfer | None,
    *,
    due_date: dt.date | None = None,
    is_first: bool = False,
) -> Node | None:
    return group(
        "cac:PaymentMeans",
        leaf(
            "cbc:PaymentMeansCode",
            payment.means_code,
            name=payment.means_text if is_first else None,  # UBL-SR-46
        ),
        leaf("cbc:PaymentDueDate", day(due_date)),
        leaf("cbc:PaymentID", payment.reference),
        _card(payment) if is_first else None,
        _account(transfer),
        _mandate(payment) if is_first else None,
    )


def _card(payment: Payment) -> Node | None:
    if payment.card is None:
        return None
    return group(
        "cac:CardAccount",
        leaf("cbc:PrimaryAccountNumberID", payment.card.primary_account_number),
        leaf("cbc:NetworkID", _NETWORK),
        leaf("cbc:HolderName", payment.card.holder_name),
    )


def _account(transfer: CreditTransfer | None) -> Node | None:
    if transfer is None:
        return None
    return group(
        "cac:PayeeFinancialAccount",
        leaf("cbc:ID", transfer.iban),
        leaf("cbc:Name", transfer.account_name),
        group("cac:FinancialInstitutionBranch", leaf("cbc:ID", transfer.bic)),
    )


def _mandate(payment: Payment) -> Node | None:
    debit = payment.direct_debit
    if debit is None:
        return None
    return group(
        "cac:PaymentMandate",
        leaf("cbc:ID", debit.mandate_reference),
        group("cac:PayerFinancialAccount", leaf("cbc:ID", debit.debited_iban)),
    )
