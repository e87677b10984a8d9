"""Requests and results of the e-invoice endpoints: write XML, validate documents."""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, StringConstraints, field_validator, model_validator
from pydantic_core.core_schema import ValidationInfo

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Base64, UncheckedJson, UploadId
from chalicelib.contract.invoice.field_types import XmlProfile
from chalicelib.contract.invoice.invoice import Invoice
from chalicelib.contract.render.conformance_report import ConformanceReport
from chalicelib.contract.render.output import FailOn
from chalicelib.contract.render.request import RunOptions

Syntax = Literal["cii", "ubl"]
_SYNTAXES: Final[dict[str, tuple[str, ...]]] = {
    "EN16931": ("cii", "ubl"),
    "XRECHNUNG": ("cii", "ubl"),
    "PEPPOL": ("ubl",),
}


class EInvoiceRequest(RunOptions):
    """The body of `POST /v1/einvoices`."""

    profile: XmlProfile
    """The profile, which decides what the invoice must have."""
    invoice: Invoice
    """The invoice, as EN 16931 defines it."""
    syntax: Syntax = "cii"
    """`cii` (UN/CEFACT Cross Industry Invoice) or `ubl`, which EN16931, XRECHNUNG and PEPPOL have.
    PEPPOL has no `cii`: it takes `ubl` where the field is absent."""
    filename: Annotated[str, StringConstraints(max_length=255)] | None = None
    """The extension becomes `.xml`. Null: the invoice's number."""
    fail_on: FailOn = Field(default=[])
    test: bool | None = None
    """Always true with a test key: the invoice then carries the note TEST.

    MINIMUM cannot carry notes (warning `feature_unavailable`).
    """

    @field_validator("syntax")
    @classmethod
    def _check_syntax(cls, syntax: str, info: ValidationInfo) -> str:
        # An invalid profile has its own error already and is absent from `info.data`.
        profile = info.data.get("profile", "EN16931")
        allowed = _SYNTAXES.get(profile, ("cii",))
        if syntax not in allowed:
            others = "" if syntax == "cii" else ", only EN16931, XRECHNUNG and PEPPOL do"
            message = f"must be {allowed[0]}: {profile} has no {syntax}{others}"
            raise ValueError(message)
        return syntax

    @property
    def written_syntax(self) -> Syntax:
        """Return the syntax to write: the given one, or else the profile's first."""
        return "ubl" if self.profile == "PEPPOL" else self.syntax


class EInvoiceDocument(Model):
    """A finished e-invoice, XML or a PDF that carries it: exactly one of the fields."""

    content: Base64 | None = None
    """The document in base64; excludes `upload_id`."""
    upload_id: UploadId | None = None
    """Id of an upload of up to 20 MB, `upl_…`; excludes `content`."""

    @model_validator(mode="after")
    def _check_exactly_one(self) -> Self:
        if (self.content is None) == (self.upload_id is None):
            message = "needs either content or upload_id"
            raise ValueError(message)
        return self


class EInvoiceValidation(Model):
    """The result of validating an e-invoice."""

    object: Literal["einvoice_validation"]
    conformance: ConformanceReport
    """As `result.conformance` of a render: `einvoice` (its `profile` is null if there are no rules
    for it), for a PDF also `pdfa`, and `pdfua` if the PDF claims it. `path` leads into `invoice`.
    The warnings `PLT-NOT-IN-MODEL` name content that `invoice` leaves out or changes, or the reason
    why there is no invoice. A section without a verdict is `unavailable` (`PLT-NOT-VALIDATED`)."""
    invoice: dict[str, UncheckedJson] | None
    """An object of the schema `Invoice`, which `POST /v1/einvoices` takes. Documents that it embeds
    are uploads. Null if the document is no invoice or has no lines."""
