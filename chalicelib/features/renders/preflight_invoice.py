"""Whether the e-invoice of an order breaks a rule, before anything is made of it."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, pointer
from chalicelib.engine.einvoice.prepare import EInvoice, invoice_at, prepare
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.job import InvoiceOrder, RenderWarning
from chalicelib.features.renders.jobs import invoice_of
from chalicelib.features.renders.model import Body

_INDEX: Final = re.compile(r"\[(\d+)\]")


def check_invoice(body: Body) -> Iterator[RenderWarning]:
    """Yield warnings; raises `einvoice_invalid` with a pointer to each finding.

    An invoice in data that stand at a `data_url` is not looked at.
    """
    order = invoice_of(body)
    if order is None:
        return
    if order.skipped_by_plan:
        message = "The plan has no e-invoices: the PDF will not carry the template's."
        yield RenderWarning("einvoice_skipped_plan", message, "output.einvoice")
    if order.path is not None and body.data_url is not None:
        return
    try:
        prepare(_asked(order, body))
    except RenderFailure as failure:
        if order.written:
            raise _refusal(failure, order.root) from None
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


def _refusal(failure: RenderFailure, root: str) -> ServiceError:
    found = failure.members["result"]["conformance"]["einvoice"]["errors"]
    errors = [
        FieldError(_pointer(each["path"], root), failure.code, each["message"]) for each in found
    ]
    return ServiceError(failure.code, failure.detail, errors=errors)


def _pointer(path: str, root: str) -> str:
    """Return the pointer to a finding's path; `root`, where it begins, is keys only."""
    within = _INDEX.sub(r".\1", path[len(root) :])
    steps = (root + within).split(".")
    return pointer(steps)
