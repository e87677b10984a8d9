"""What templates are filled with: the job's data, or the JSON object at its `data_url`."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core import json
from chalicelib.core.errors import RenderFailure, ServiceError
from chalicelib.engine.fetching import MOST_S, fetched
from chalicelib.engine.job import Canvas, Html, Job
from chalicelib.engine.outside import AddressRefused, Outside, Unreachable

_MOST_BYTES: Final = 5_000_000


def asks_for_data(job: Job) -> bool:
    """Tell whether anything of a job is made with its data."""
    templated = isinstance(job.source, Html) and job.source.templating
    return templated or isinstance(job.source, Canvas) or job.einvoice is not None


def data_of(job: Job, outside: Outside) -> Mapping[str, Any]:
    """Return a job's data, fetched where they are elsewhere.

    Raises RenderFailure `url_not_allowed`, `data_url_fetch_failed`, `render_timeout`, for a canvas
    `data_invalid`, and what the job's check of data raises.
    """
    if job.data_url is None:
        return job.data or {}
    (answer,) = fetched([job.data_url], outside, job, most_bytes=_MOST_BYTES, secure=True)
    try:
        value = _json(answer.result().content)
    except AddressRefused as refused:
        raise RenderFailure("url_not_allowed", f"data_url: {refused}.") from refused
    except Unreachable as missed:
        room = f"it must answer within {MOST_S:g} s with at most {_MOST_BYTES} bytes"
        message = f"data_url: {missed}; {room}."
        raise RenderFailure("data_url_fetch_failed", message) from missed
    if isinstance(value, dict):
        job.check_data(value)
        return value
    message = "data_url answered JSON that is no object; the data must stand in one."
    code = "data_invalid" if isinstance(job.source, Canvas) else "data_url_fetch_failed"
    raise RenderFailure(code, message)


def _json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ServiceError as error:
        message = f"data_url answered something else than a JSON object. {error.detail}"
        raise RenderFailure("data_url_fetch_failed", message) from error
