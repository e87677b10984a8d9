"""Whether the e-invoice of an order breaks a rule, before anything is made of it."""

import re
from collections.abc import Iterator
from typing import Any, Final, cast

from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, json_pointer
from chalicelib.engine.einvoice.prepare import EInvoiceInput, invoice_at, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.job import EInvoiceCommand, RenderWarning
from chalicelib.features.renders.model import RenderBody
from chalicelib.features.renders.run.jobs import requested_invoice

_INDEX: Final = re.compile(r"\[(\d+)\]")


def check_invoice(body: RenderBody) -> Iterator[RenderWarning]:
    """Yield warnings; raises `einvoice_invalid` with a pointer to each finding.

    An invoice in data that stand at a `data_url` is not looked at.
    """
    order = requested_invoice(body)
    if order is None:
        return
    if order.is_skipped_by_plan:
        message = "The plan has no e-invoices: the PDF will not carry the template's."
        yield RenderWarning("einvoice_skipped_plan", message, "output.einvoice")
    if order.data_path is not None and body.data_url is not None:
        return
    try:
        prepare_invoice(_requested_einvoice(order, body))
    except RenderFailure as failure:
        if order.is_written:
            raise _refusal(failure, order.findings_root) from None
        yield RenderWarning("invoice_totals_unavailable", failure.detail, order.findings_root)


def _requested_einvoice(invoice_order: EInvoiceCommand, body: RenderBody) -> EInvoiceInput:
    source: Any = invoice_order.invoice
    if invoice_order.data_path is not None:
        source = invoice_at(body.data or {}, invoice_order.data_path)
    return EInvoiceInput(
        profile=PROFILES[invoice_order.profile],
        syntax=cast("Syntax", invoice_order.syntax),
        source=source,
        findings_root=invoice_order.findings_root,
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
    return json_pointer(steps)
