"""The e-invoice endpoints: an invoice in, its XML out; a document in, its worth out."""

from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator
from pydantic_core.core_schema import ValidationInfo

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Base64, Metadata, UploadId
from chalicelib.contract.invoice.field_types import EInvoiceProfile
from chalicelib.contract.invoice.invoice import Invoice
from chalicelib.contract.render.conformance_report import ConformanceReport
from chalicelib.contract.render.request import DeliverySpec, Mode, Priority

_UBL_PROFILES: Final = ("EN16931", "XRECHNUNG")


class EInvoiceRequest(Model):
    """What `POST /v1/einvoices` takes."""

    profile: EInvoiceProfile
    invoice: Invoice
    syntax: Literal["cii", "ubl"] = "cii"
    """`ubl` for EN16931 and XRECHNUNG only."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """Its extension becomes `.xml`; the invoice's number where it is null."""
    mode: Mode = "sync"
    priority: Priority = "normal"
    timeout_behavior: Literal["continue", "cancel"] = "continue"
    delivery: DeliverySpec | None = None
    reference: Annotated[str, StringConstraints(max_length=255)] | None = None
    metadata: Annotated[Metadata, Field(max_length=50)] | None = None
    test: bool | None = None
    """Always true with a test key: the invoice then has a note that says TEST.

    MINIMUM has no place for it (`feature_unavailable`).
    """

    @field_validator("syntax")
    @classmethod
    def _check_syntax(cls, syntax: str, info: ValidationInfo) -> str:
        # A profile that is none has been told already.
        profile = info.data.get("profile", _UBL_PROFILES[0])
        if syntax == "ubl" and profile not in _UBL_PROFILES:
            message = f"must be cii: {profile} has no ubl, only {' and '.join(_UBL_PROFILES)} do"
            raise ValueError(message)
        return syntax


class EInvoiceDocument(Model):
    """A finished e-invoice, XML or a PDF that carries it: exactly one of the fields."""

    content: Base64 | None = None
    """The document in base64."""
    upload_id: UploadId | None = None
    """One of up to 20 MB."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.content is None) == (self.upload_id is None):
            message = "needs either content or upload_id"
            raise ValueError(message)
        return self


class EInvoiceValidation(Model):
    """What a finished e-invoice is worth."""

    object: Literal["einvoice_validation"]
    conformance: ConformanceReport
    """As in `result.conformance` of a render: `einvoice`, whose `profile` is null where no rules
    are known for it, and for a PDF `pdfa`, and `pdfua` where it claims to be. `path` leads into
    `invoice`. The warnings `PLT-NOT-IN-MODEL` name what `invoice` leaves out, or why there is
    none. Without a verdict a section is `unavailable` (`PLT-NOT-VALIDATED`)."""
    invoice: dict[str, Any] | None
    """The schema `Invoice`; null where the document is not one that has lines and fits it."""


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
