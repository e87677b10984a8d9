"""The e-invoice endpoint's request: an invoice in, its XML out."""

from typing import Annotated, Final, Literal

from pydantic import Field, StringConstraints, field_validator
from pydantic_core.core_schema import ValidationInfo

from chalicelib.contract.base import Model
from chalicelib.contract.invoice import Invoice
from chalicelib.contract.invoice_kinds import EInvoiceProfile
from chalicelib.contract.renders import DeliverySpec, Mode, Priority
from chalicelib.contract.values import Metadata

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
    """Always true with a test key: the invoice then has a note that says TEST."""

    @field_validator("syntax")
    @classmethod
    def _has_the_profile(cls, syntax: str, info: ValidationInfo) -> str:
        # A profile that is none has been told already.
        profile = info.data.get("profile", _UBL_PROFILES[0])
        if syntax == "ubl" and profile not in _UBL_PROFILES:
            message = f"must be cii: {profile} has no ubl, only {' and '.join(_UBL_PROFILES)} do"
            raise ValueError(message)
        return syntax
