"""Data of templates: the job's own, or the JSON object at its `data_url`."""

from contextlib import suppress
from copy import replace
from typing import Final

from chalicelib.core import json
from chalicelib.core.check_url import url_advice
from chalicelib.core.errors import RenderFailure, ServiceError
from chalicelib.core.json import Json
from chalicelib.engine.context import JobContext
from chalicelib.engine.inputs.fetch import MAX_FETCH_S, fetch_all
from chalicelib.engine.job import PageJob
from chalicelib.engine.ports import Egress, HostRefusedError, HostUnreachableError
from chalicelib.engine.render_trace import TraceRecorder

_MAX_BYTES: Final = 5_000_000


def load_data(job: PageJob, context: JobContext, egress: Egress) -> PageJob:
    """Return the job with its data, fetched where it has a `data_url` and uses them.

    Raises RenderFailure `url_not_allowed`, `data_url_fetch_failed`, `render_timeout`, for a canvas
    `data_invalid`, and the failures of `check_data`.
    """
    if job.data_url is None and job.data_pointer is not None:
        context.check_data(job.data or {}, job.data_pointer)
    if job.data_url is None or not job.uses_data:
        return job
    (response,) = fetch_all([job.data_url], egress, context, max_bytes=_MAX_BYTES, https_only=True)
    try:
        value = _parse_json(response.result().content)
    except HostRefusedError as refused:
        detail = f"data_url: {refused}{url_advice(job.data_url)}."
        raise RenderFailure("url_not_allowed", detail) from refused
    except HostUnreachableError as unreachable:
        limits = f"it must answer within {MAX_FETCH_S:g} s with at most {_MAX_BYTES} bytes"
        message = f"data_url: {unreachable}; {limits}."
        raise RenderFailure("data_url_fetch_failed", message) from unreachable
    if isinstance(value, dict):
        context.check_data(value, "/data")
        return replace(job, data=value, data_url=None)
    message = "data_url answered JSON that is no object; the data must stand in one."
    raise RenderFailure(job.source.invalid_data_code, message)


def load_data_and_invoice(job: PageJob, context: JobContext, egress: Egress) -> PageJob:
    """Return the job with its data, and with its e-invoice in them; raises as `load_data`.

    An invalid e-invoice leaves the data as they are: another check reports it.
    """
    job = load_data(job, context, egress)
    if job.einvoice is None:
        return job
    from chalicelib.engine.inputs.invoice import add_invoice_to_job  # noqa: PLC0415 -- few jobs have one

    with suppress(RenderFailure):
        job, _ = add_invoice_to_job(job, context, TraceRecorder())
    return job


def _parse_json(content: bytes) -> Json:
    try:
        value: Json = json.loads(content)
    except ServiceError as error:
        message = f"data_url answered something else than a JSON object. {error.detail}"
        raise RenderFailure("data_url_fetch_failed", message) from error
    return value
