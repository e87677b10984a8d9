"""Lint of a job's templates: runs them without drawing and collects their faults."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.inputs.data import load_data
from chalicelib.engine.inputs.source_document import TemplateRunner, build_source_document
from chalicelib.engine.job import HtmlDocument, Job
from chalicelib.engine.ports import Egress
from chalicelib.engine.render_trace import TraceRecorder

# The document is built once more for each fault.
_MAX_FAULTS: Final = 20


def template_faults(job: Job, templates: TemplateRunner, egress: Egress) -> list[RenderFailure]:
    """Return the first twenty failures of a job's templates.

    Each detail begins with the name of its text. A failure that is not a template's ends the list,
    because the document cannot be built without its cause.
    """
    job = _with_invoice(job, egress)
    templates_once = _RunOnceTemplates(templates)
    faults: list[RenderFailure] = []
    while len(faults) < _MAX_FAULTS:
        templates_once.reset()
        try:
            build_source_document(job, templates_once, egress)
        except RenderFailure as failure:
            faults.append(_with_text_name(failure, job, templates_once.failed_source))
            if templates_once.failed_source is None or not failure.code.startswith("template_"):
                break
        else:
            break
    return faults


def _with_invoice(job: Job, egress: Egress) -> Job:
    """Return the job with its e-invoice in the data.

    An invalid e-invoice leaves the job as it is: another check reports it.
    """
    if job.einvoice is None:
        return job
    from chalicelib.engine.einvoice.job_invoice import add_invoice_to_job  # noqa: PLC0415 -- few jobs have one

    with suppress(RenderFailure):
        job = replace(job, data=load_data(job, egress), data_url=None)
        job, _ = add_invoice_to_job(job, TraceRecorder())
    return job


def _with_text_name(failure: RenderFailure, job: Job, text: str | None) -> RenderFailure:
    """Return a failure whose detail begins with the name of its text.

    Details of output texts and of layers name their text already.
    """
    if text is None or not isinstance(job.source, HtmlDocument):
        return failure
    names = {job.source.css: "css", job.source.head: "head", job.source.html: "html"}
    if text not in names or failure.detail.startswith("output."):
        return failure
    return RenderFailure(failure.code, f"{names[text]}: {failure.detail}", **failure.members)


class _RunOnceTemplates:
    """Template runner that runs each template once.

    A template that failed gives an empty text from then on, so that the next run finds the next
    fault.
    """

    def __init__(self, templates: TemplateRunner) -> None:
        """Run the templates with `templates`."""
        self._templates = templates
        self._texts: dict[tuple[Any, ...], str] = {}
        self.failed_source: str | None = None

    def reset(self) -> None:
        """Forget the last failure."""
        self.failed_source = None

    def render(self, source: str, data: Any, **options: Any) -> str:
        """Return the text; raises RenderFailure the first time."""
        key = (source, options.get("escape"), options.get("locale_defaults"), frozenset(data))
        if key not in self._texts:
            self._texts[key] = ""
            try:
                self._texts[key] = self._templates.render(source, data, **options)
            except RenderFailure:
                self.failed_source = source
                raise
        return self._texts[key]
