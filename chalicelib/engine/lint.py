"""Runs the templates of a job and nothing else, whatever the others find."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.inputs.data import load_data
from chalicelib.engine.inputs.source_document import TemplateRunner, build_source_document
from chalicelib.engine.job import HtmlDocument, Job
from chalicelib.engine.ports import Egress
from chalicelib.engine.render_trace import TraceRecorder

# For each one the document is put together once more.
_MAX_FAULTS: Final = 20


def template_faults(job: Job, templates: TemplateRunner, egress: Egress) -> list[RenderFailure]:
    """Return what a job's texts would be failed for, the first twenty of it, as they run.

    Each detail begins with the name of its text. What else keeps the document from being made ends
    the list.
    """
    job = _with_invoice(job, egress)
    once = _RunOnceTemplates(templates)
    faults: list[RenderFailure] = []
    while len(faults) < _MAX_FAULTS:
        once.reset()
        try:
            build_source_document(job, once, egress)
        except RenderFailure as failure:
            faults.append(_with_text_name(failure, job, once.failed_source))
            if once.failed_source is None or not failure.code.startswith("template_"):
                break
        else:
            break
    return faults


def _with_invoice(job: Job, egress: Egress) -> Job:
    """Return the job with its e-invoice among the data; one that is invalid is told elsewhere."""
    if job.einvoice is None:
        return job
    from chalicelib.engine.einvoice.job_invoice import add_invoice_to_job  # noqa: PLC0415 -- few jobs have one

    with suppress(RenderFailure):
        job = replace(job, data=load_data(job, egress), data_url=None)
        job, _ = add_invoice_to_job(job, TraceRecorder())
    return job


def _with_text_name(failure: RenderFailure, job: Job, text: str | None) -> RenderFailure:
    """Return a failure with the name of its text; those of the output and of layers have theirs."""
    if text is None or not isinstance(job.source, HtmlDocument):
        return failure
    own = {job.source.css: "css", job.source.head: "head", job.source.html: "html"}
    if text not in own or failure.detail.startswith("output."):
        return failure
    return RenderFailure(failure.code, f"{own[text]}: {failure.detail}", **failure.members)


class _RunOnceTemplates:
    """Templates of which each is run once, and comes to nothing after that if it failed."""

    def __init__(self, templates: TemplateRunner) -> None:
        """Run them there."""
        self._templates = templates
        self._texts: dict[tuple[Any, ...], str] = {}
        self.failed_source: str | None = None

    def reset(self) -> None:
        """Nothing has failed."""
        self.failed_source = None

    def render(self, source: str, data: Any, **how: Any) -> str:
        """Return the text; raises RenderFailure the first time."""
        call = (source, how.get("escape"), how.get("locale_defaults"), frozenset(data))
        if call not in self._texts:
            self._texts[call] = ""
            try:
                self._texts[call] = self._templates.render(source, data, **how)
            except RenderFailure:
                self.failed_source = source
                raise
        return self._texts[call]
