"""Runs the templates of a job and nothing else, whatever the others find."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.course import Course
from chalicelib.engine.data import data_of
from chalicelib.engine.job import Job
from chalicelib.engine.outside import Outside
from chalicelib.engine.source import Templates, document_of


def faults_of(job: Job, templates: Templates, outside: Outside) -> list[RenderFailure]:
    """Return what each of a job's texts would be failed for, in the order in which they run.

    Raises RenderFailure for what is no fault of a text.
    """
    collecting = _Collecting(templates)
    document_of(_invoiced(job, outside), collecting, outside)
    return collecting.failures


def _invoiced(job: Job, outside: Outside) -> Job:
    """Return the job with its e-invoice among the data; one that is invalid is told elsewhere."""
    if job.einvoice is None:
        return job
    from chalicelib.engine.einvoice.ordered import invoiced  # noqa: PLC0415 -- few jobs have one

    job = replace(job, data=data_of(job, outside), data_url=None)
    with suppress(RenderFailure):
        return invoiced(job, Course())[0]
    return job


class _Collecting:
    """Templates that come to nothing where they fail."""

    def __init__(self, templates: Templates) -> None:
        """Run them there."""
        self._templates = templates
        self.failures: list[RenderFailure] = []

    def render(self, *given: Any, **options: Any) -> str:
        """Return the text, or none."""
        try:
            return self._templates.render(*given, **options)
        except RenderFailure as failure:
            if not failure.code.startswith("template_"):
                raise
            self.failures.append(failure)
            return ""
