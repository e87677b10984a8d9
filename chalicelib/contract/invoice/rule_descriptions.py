"""The rules of invoices that no standard has an id for: what the reference says of each."""

from types import MappingProxyType
from typing import Final

PLT_RULES: Final = MappingProxyType(
    {
        "PLT-REQUIRED": "something that has to be there is absent or blank",
        "PLT-TYPE": "a value is of another JSON type",
        "PLT-FORMAT": "a value is written otherwise than its field asks for",
        "PLT-LENGTH": "a text or an array is too long or too short",
        "PLT-UNKNOWN-FIELD": "a property is not known",
        "PLT-LINE-ID": "two lines have one id",
        "PLT-PRICE-GROSS": "a price has a discount, but no gross price that it is taken from",
        "PLT-TAX-CURRENCY": "there is a VAT total in the tax currency, but no tax currency",
        "PLT-VAT-BREAKDOWN": "there are more than 1000 pairs of a VAT category and a rate",
        "PLT-AMOUNT-RANGE": "a computed amount has more than ten digits before the point",
        "PLT-NO-INVOICE": "a document is no invoice, or carries none that is safe to read",
        "PLT-PROFILE": "a document has a profile that no rules are known for",
        "PLT-NOT-IN-MODEL": "a document says something that the model of an invoice cannot hold",
        "PLT-UNTAGGED-CONTENT": "a page shows something that is read to nobody: a warning",
        "PLT-NOT-VALIDATED": "the validators gave no verdict in time",
    }
)


def plt_rules_markdown() -> str:
    """Return the rules as a Markdown list."""
    return "\n".join(f"- `{rule}`: {meaning}" for rule, meaning in PLT_RULES.items())
