"""Checks of the outcome of a job: its files, and the warnings that `output.fail_on` names."""

from collections.abc import Iterator, Mapping
from typing import Final

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.job import Job, RenderOutcome
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from chalicelib.features.renders.model import DeliveryType, Render

MAX_OUTPUT_BYTES: Final = 100_000_000
_MAX_BYTES: Final[Mapping[DeliveryType, int]] = {
    "url": MAX_OUTPUT_BYTES,
    "none": MAX_OUTPUT_BYTES,
    "binary": 20_000_000,
    "base64": 10_000_000,
}
_MAX_DETAIL_CHARACTERS: Final = 200


def check_files(render: Render, outcome: RenderOutcome) -> None:
    """Raise RenderFailure for files that the render may not have.

    Raises `validation_error` for several where the answer is the file, `page_limit_exceeded` and
    `output_too_large`.
    """
    if render.delivery == "binary" and len(outcome.files) > 1:
        message = f"binary answers one file, and {len(outcome.files)} came out: send base64 or url"
        pointer = "/delivery/type"
        raise RenderFailure(
            "validation_error",
            f"{pointer}: {message}",
            errors=[FieldError(pointer, "not_allowed", message)],
            trace=outcome.trace,
        )
    max_bytes = _MAX_BYTES[render.delivery]
    if render.zero_retention and render.returns_file:
        # The response must carry the file, as it cannot be fetched later (decision 17).
        max_bytes = MAX_RETURNED_BYTES
    for produced in outcome.files:
        if produced.pages is not None and produced.pages > render.max_pages:
            raise RenderFailure(
                "page_limit_exceeded",
                f"The document has {produced.pages} pages; {render.max_pages} are allowed by the "
                "plan and the request's max_pages.",
                trace=outcome.trace,
            )
    for subject, size in _sizes(render, outcome):
        if size > max_bytes:
            raise RenderFailure(
                "output_too_large",
                f"{subject} {size} bytes; with delivery {render.delivery}{_retention_note(render)} "
                f"{max_bytes} are allowed.",
                trace=outcome.trace,
            )


def _sizes(render: Render, outcome: RenderOutcome) -> Iterator[tuple[str, int]]:
    """Yield what is limited, and its bytes: each file, or all of one answer together."""
    if render.delivery == "base64" and len(outcome.files) > 1:
        yield "The files have", sum(len(produced.content) for produced in outcome.files)
        return
    for produced in outcome.files:
        yield f"The {produced.format} has", len(produced.content)


def _retention_note(render: Render) -> str:
    return " and retention none" if render.zero_retention else ""


def check_warnings(job: Job, outcome: RenderOutcome) -> None:
    """Raise RenderFailure `render_failed` for the first warning that fails the job."""
    for warning in outcome.trace.warnings:
        message = failure_of_warning(warning, job)
        if message is not None:
            raise RenderFailure("render_failed", message, trace=outcome.trace)


def failure_of_warning(warning: RenderWarning, job: Job) -> str | None:
    """Return why a warning fails a job, or None if it does not."""
    if warning.code not in job.fail_on:
        return None
    place = "" if warning.detail is None else f" ({warning.detail[:_MAX_DETAIL_CHARACTERS]})"
    return f"{warning.code}, which fail_on names: {warning.message}{place}"
