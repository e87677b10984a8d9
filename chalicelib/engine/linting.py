"""Runs the templates of a job and nothing else, whatever the others find."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.course import Course
from chalicelib.engine.data import data_of
from chalicelib.engine.job import Html, Job
from chalicelib.engine.outside import Outside
from chalicelib.engine.source import Templates, document_of

# For each one the document is put together once more.
_MOST: Final = 20


def faults_of(job: Job, templates: Templates, outside: Outside) -> list[RenderFailure]:
    """Return what a job's texts would be failed for, the first twenty of it, as they run.

    Each detail begins with the name of its text. What else keeps the document from being made ends
    the list.
    """
    job = _invoiced(job, outside)
    once = _Once(templates)
    faults: list[RenderFailure] = []
    while len(faults) < _MOST:
        once.begin()
        try:
            document_of(job, once, outside)
        except RenderFailure as failure:
            faults.append(_named(failure, job, once.failed))
            if once.failed is None or not failure.code.startswith("template_"):
                break
        else:
            break
    return faults


def _invoiced(job: Job, outside: Outside) -> Job:
    """Return the job with its e-invoice among the data; one that is invalid is told elsewhere."""
    if job.einvoice is None:
        return job
    from chalicelib.engine.einvoice.ordered import invoiced  # noqa: PLC0415 -- few jobs have one

    with suppress(RenderFailure):
        job = replace(job, data=data_of(job, outside), data_url=None)
        job, _ = invoiced(job, Course())
    return job


def _named(failure: RenderFailure, job: Job, text: str | None) -> RenderFailure:
    """Return a failure with the name of its text; those of the output and of layers have theirs."""
    if text is None or not isinstance(job.source, Html):
        return failure
    own = {job.source.css: "css", job.source.head: "head", job.source.html: "html"}
    if text not in own or failure.detail.startswith("output."):
        return failure
    return RenderFailure(failure.code, f"{own[text]}: {failure.detail}", **failure.members)


class _Once:
    """Templates of which each is run once, and comes to nothing after that if it failed."""

    def __init__(self, templates: Templates) -> None:
        """Run them there."""
        self._templates = templates
        self._texts: dict[tuple[Any, ...], str] = {}
        self.failed: str | None = None

    def begin(self) -> None:
        """Nothing has failed."""
        self.failed = None

    def render(self, source: str, data: Any, **how: Any) -> str:
        """Return the text; raises RenderFailure the first time."""
        call = (source, how.get("escape"), how.get("habits"), frozenset(data))
        if call not in self._texts:
            self._texts[call] = ""
            try:
                self._texts[call] = self._templates.render(source, data, **how)
            except RenderFailure:
                self.failed = source
                raise
        return self._texts[call]
