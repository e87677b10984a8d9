"""UBL payment instructions and payment terms."""

import datetime as dt
from typing import Final

from chalicelib.engine.einvoice.model import CreditTransfer, Invoice, PaymentInstructions
from chalicelib.engine.einvoice.xml_writer import (
    XmlNode,
    format_date,
    group,
    leaf,
    payment_terms_text,
)

# UNTDID 4461, "instrument not defined": for a credit note with a due date and no payment, because
# UBL has the due date of a credit note only in the payment means.
UNDEFINED_MEANS_CODE: Final = "1"
# UBL requires the network of a card; EN 16931 has no term for it.
_CARD_NETWORK: Final = "NA"


def payment_means(invoice: Invoice, *, due_date: dt.date | None) -> tuple[XmlNode | None, ...]:
    """Return BG-16: one element for each account; the first also has the card and the debit."""
    payment = invoice.payment
    if payment is None:
        if due_date is None:
            return ()
        payment = PaymentInstructions(means_code=UNDEFINED_MEANS_CODE)
    first, *others = payment.credit_transfers or (None,)
    return (
        _payment_means(payment, first, due_date=due_date, is_first=True),
        *(_payment_means(payment, transfer) for transfer in others),
    )


def payment_terms_node(invoice: Invoice) -> XmlNode | None:
    """Return the payment terms (BT-20)."""
    return group("cac:PaymentTerms", leaf("cbc:Note", payment_terms_text(invoice)))


def _payment_means(
    payment: PaymentInstructions,
    transfer: CreditTransfer | None,
    *,
    due_date: dt.date | None = None,
    is_first: bool = False,
) -> XmlNode | None:
    return group(
        "cac:PaymentMeans",
        leaf(
            "cbc:PaymentMeansCode",
            payment.means_code,
            # The text of the means may occur only once (UBL-SR-46).
            name=payment.means_text if is_first else None,
        ),
        leaf("cbc:PaymentDueDate", format_date(due_date)),
        leaf("cbc:PaymentID", payment.remittance_information),
        _card(payment) if is_first else None,
        _credit_transfer(transfer),
        _direct_debit(payment) if is_first else None,
    )


def _card(payment: PaymentInstructions) -> XmlNode | None:
    if payment.card is None:
        return None
    return group(
        "cac:CardAccount",
        leaf("cbc:PrimaryAccountNumberID", payment.card.primary_account_number),
        leaf("cbc:NetworkID", _CARD_NETWORK),
        leaf("cbc:HolderName", payment.card.holder_name),
    )


def _credit_transfer(transfer: CreditTransfer | None) -> XmlNode | None:
    if transfer is None:
        return None
    return group(
        "cac:PayeeFinancialAccount",
        leaf("cbc:ID", transfer.account_id),
        leaf("cbc:Name", transfer.account_name),
        group("cac:FinancialInstitutionBranch", leaf("cbc:ID", transfer.bic)),
    )


def _direct_debit(payment: PaymentInstructions) -> XmlNode | None:
    debit = payment.direct_debit
    if debit is None:
        return None
    return group(
        "cac:PaymentMandate",
        leaf("cbc:ID", debit.mandate_reference),
        group("cac:PayerFinancialAccount", leaf("cbc:ID", debit.debited_account)),
    )
