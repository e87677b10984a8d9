"""Table of the service's own findings (`PLT-…`), with what to do about each."""

from types import MappingProxyType
from typing import Final

from chalicelib.contract.invoice.constraints import PLT_RULES
from infra.guides.markdown import code, table

_FORM: Final = "Correct the field that `path` names."
_METADATA: Final = "Tell the sender. Some receivers refuse such a PDF."
FINDING_ACTIONS: Final = MappingProxyType(
    {
        "PLT-REQUIRED": "Add the value.",
        "PLT-TYPE": _FORM,
        "PLT-FORMAT": _FORM,
        "PLT-LENGTH": "Shorten the text, or send the number of entries that the message names.",
        "PLT-UNKNOWN-FIELD": "Remove the field, or correct its name.",
        "PLT-LINE-ID": "Give each line an `id`, or none of them.",
        "PLT-PRICE-GROSS": "Add `price.gross`, or remove `price.discount`.",
        "PLT-BASE-QUANTITY": "Send another `price.base_quantity`, or leave it out for 1.",
        "PLT-TAX-CURRENCY": "Add `tax_currency`, or remove `tax_total_in_tax_currency`.",
        "PLT-VAT-BREAKDOWN": "Use fewer rates, or make several invoices.",
        "PLT-AMOUNT-RANGE": "Make several invoices.",
        "PLT-NO-INVOICE": "Ask the sender for the e-invoice; this file has none.",
        "PLT-PROFILE": "Check by hand. There is no verdict on rules for this guideline.",
        "PLT-ENCRYPTED": "Remove the protection, for example with the PDF tool `unlock`.",
        "PLT-NOT-IN-MODEL": "Read `location` in the XML before you rely on `invoice`.",
        "PLT-UNTAGGED-CONTENT": "Give the element a name, or hide it from screen readers.",
        "PLT-IBAN": "Correct the IBAN.",
        "PLT-VAT-ID": "Correct the VAT identifier.",
        "PLT-LEITWEG-ID": "Ask the buyer for the Leitweg-ID and correct it.",
        "PLT-HYBRID-NAMESPACE": _METADATA,
        "PLT-HYBRID-FILE-NAME": _METADATA,
        "PLT-HYBRID-LEVEL": _METADATA,
        "PLT-HYBRID-VERSION": _METADATA,
        "PLT-NOT-VALIDATED": "Send the document again later.",
    }
)


def findings_table(_argument: str) -> str:
    """Return the service's own findings."""
    rows = (
        (code(rule), f"{meaning[:1].upper()}{meaning[1:]}.", FINDING_ACTIONS[rule])
        for rule, meaning in PLT_RULES.items()
    )
    return table(("Finding", "What it means", "What to do"), rows)
