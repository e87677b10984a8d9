"""Whether the e-invoice of an order breaks a rule, before anything is made of it."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from chalicelib.core.errors import FieldError, RenderFailure, ServiceError
from chalicelib.engine.einvoice.prepare import EInvoice, invoice_at, prepare
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.job import InvoiceOrder, RenderWarning
from chalicelib.features.renders.jobs import invoice_of
from chalicelib.features.renders.model import Body

_INDEX: Final = re.compile(r"\[(\d+)\]")


def check_invoice(body: Body) -> Iterator[RenderWarning]:
    """Yield warnings; raises `einvoice_invalid` with a pointer to each finding.

    An invoice in data that are not there yet is not looked at.
    """
    order = invoice_of(body)
    if order is None or (order.path is not None and body.data is None):
        return
    if order.skipped_by_plan:
        message = "The plan has no e-invoices: the PDF will not carry the template's."
        yield RenderWarning("einvoice_skipped_plan", message, "output.einvoice")
    try:
        prepare(_asked(order, body))
    except RenderFailure as failure:
        if order.written:
            raise _refusal(failure) from None
        yield RenderWarning("invoice_totals_unavailable", failure.detail, order.root)


def _asked(order: InvoiceOrder, body: Body) -> EInvoice:
    source: Any = order.invoice
    if order.path is not None:
        source = invoice_at(body.data or {}, order.path)
    return EInvoice(
        profile=PROFILES[order.profile],
        syntax=cast("Syntax", order.syntax),
        source=source,
        root=order.root,
    )


def _refusal(failure: RenderFailure) -> ServiceError:
    found = failure.members["result"]["conformance"]["einvoice"]["errors"]
    errors = [FieldError(_pointer(each["path"]), failure.code, each["message"]) for each in found]
    return ServiceError(failure.code, failure.detail, errors=errors)


def _pointer(path: str) -> str:
    steps = _INDEX.sub(r".\1", path).split(".")
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
