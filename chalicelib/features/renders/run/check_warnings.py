"""Check of the warnings that the caller does not accept: `output.fail_on`."""

from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Job, RenderOutcome

_MAX_DETAIL_CHARACTERS: Final = 200


def check_warnings(job: Job, outcome: RenderOutcome) -> None:
    """Raise RenderFailure `render_failed` for the first warning that fails the job."""
    for warning in outcome.trace.warnings:
        if warning.code in job.fail_on:
            place = (
                "" if warning.detail is None else f" ({warning.detail[:_MAX_DETAIL_CHARACTERS]})"
            )
            message = f"{warning.code}, which fail_on names: {warning.message}{place}"
            raise RenderFailure("render_failed", message, trace=outcome.trace)
