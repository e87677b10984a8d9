"""E-invoice of a request that is only checked: its totals, warnings and findings."""

import re
from typing import Final, NamedTuple

from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, json_pointer
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.job import Job, PageJob

_INDEX: Final = re.compile(r"\[(\d+)\]")


class CheckedInvoice(NamedTuple):
    """Totals of a request's e-invoice, None without one, and the warnings about it."""

    totals: JsonObject | None = None
    warnings: tuple[RenderWarning, ...] = ()


def check_invoice(job: Job, *, is_test: bool) -> CheckedInvoice:
    """Return what a render would tell of its e-invoice.

    Raises `einvoice_invalid` with a pointer to each finding. An invoice whose data are at a
    `data_url`, which are not loaded, has no totals.
    """
    invoice, data_url = job.einvoice, job.data_url if isinstance(job, PageJob) else None
    if invoice is None:
        return CheckedInvoice()
    # Imported late: no start of the API waits for it (decision 7).
    from chalicelib.engine.inputs.invoice import read_command, skipped_by_plan  # noqa: PLC0415

    if invoice.data_path is not None and data_url is not None:
        return CheckedInvoice(None, tuple(skipped_by_plan(invoice)))
    data = job.data if isinstance(job, PageJob) else None
    try:
        reading = read_command(invoice, data or {}, is_test=is_test)
    except RenderFailure as failure:
        raise _refusal(failure, invoice.findings_root) from None
    return CheckedInvoice(reading.totals, reading.warnings)


def _refusal(failure: RenderFailure, root: str) -> ServiceError:
    findings = failure.members["result"]["conformance"]["einvoice"]["errors"]
    errors = [
        FieldError(_pointer(each["path"], root), failure.code, each["message"]) for each in findings
    ]
    return ServiceError(failure.code, failure.detail, errors=errors)


def _pointer(path: str, root: str) -> str:
    """Return the JSON Pointer to a finding's path, which begins with `root`.

    Only the rest has indexes: a `[0]` in `root` would be part of a key.
    """
    within = _INDEX.sub(r".\1", path[len(root) :])
    return json_pointer((root + within).split("."))
