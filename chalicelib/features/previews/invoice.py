"""E-invoice of a request that is only checked: its totals, warnings and findings."""

from typing import NamedTuple

from chalicelib.core.errors import RenderFailure, ServiceError
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.job import Job, PageJob


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
        raise ServiceError(failure.code, failure.detail, errors=failure.errors) from None
    return CheckedInvoice(reading.totals, reading.warnings)
