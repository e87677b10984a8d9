"""Data of templates: the job's own, or the JSON object at its `data_url`."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core import json
from chalicelib.core.errors import RenderFailure, ServiceError
from chalicelib.engine.inputs.fetch import MAX_FETCH_S, fetch_all
from chalicelib.engine.job import CanvasScene, HtmlDocument, Job
from chalicelib.engine.ports import DestinationRefusedError, DestinationUnreachableError, Egress

_MAX_BYTES: Final = 5_000_000


def is_data_needed(job: Job) -> bool:
    """Tell whether a job uses its data."""
    has_templates = isinstance(job.source, HtmlDocument) and job.source.templating
    return has_templates or isinstance(job.source, CanvasScene) or job.einvoice is not None


def load_data(job: Job, egress: Egress) -> Mapping[str, Any]:
    """Return a job's data, fetched where the job has a `data_url`.

    Raises RenderFailure `url_not_allowed`, `data_url_fetch_failed`, `render_timeout`, for a canvas
    `data_invalid`, and the failures of `check_data`.
    """
    if job.data_url is None:
        return job.data or {}
    (response,) = fetch_all([job.data_url], egress, job, max_bytes=_MAX_BYTES, https_only=True)
    try:
        value = _parse_json(response.result().content)
    except DestinationRefusedError as refused:
        raise RenderFailure("url_not_allowed", f"data_url: {refused}.") from refused
    except DestinationUnreachableError as unreachable:
        limits = f"it must answer within {MAX_FETCH_S:g} s with at most {_MAX_BYTES} bytes"
        message = f"data_url: {unreachable}; {limits}."
        raise RenderFailure("data_url_fetch_failed", message) from unreachable
    if isinstance(value, dict):
        job.check_data(value)
        return value
    message = "data_url answered JSON that is no object; the data must stand in one."
    code = "data_invalid" if isinstance(job.source, CanvasScene) else "data_url_fetch_failed"
    raise RenderFailure(code, message)


def _parse_json(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ServiceError as error:
        message = f"data_url answered something else than a JSON object. {error.detail}"
        raise RenderFailure("data_url_fetch_failed", message) from error
