"""Emails of a job's rules: of its files, or as a preview of those without drawing."""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.delivery.emails import RenderedEmail
from chalicelib.engine.emails.evaluate import EmailFile, evaluate_rules
from chalicelib.engine.inputs.data import load_data_and_invoice
from chalicelib.engine.job import PageJob
from chalicelib.engine.ports import Egress
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.template_runner import TemplateRunner

# For all emails together; the render itself must not come too late.
_MAX_S: Final = 10.0
_MARGIN_S: Final = 2.0


def job_emails(
    job: PageJob,
    context: JobContext,
    templates: TemplateRunner,
    files: Sequence[EmailFile],
    filename: str | None,
) -> tuple[RenderedEmail, ...]:
    """Return the emails of a job's rules; they take a part of the time that is left.

    `filename` is that of the request, after its template ran.
    """
    if job.emails is None:
        return ()
    deadline = min(time.time() + _MAX_S, context.deadline - _MARGIN_S)

    def run(source: str, more: JsonObject, *, escape: bool) -> str:
        return templates.render(
            source,
            {**(job.data or {}), **more},
            strict=job.output.strict_undefined,
            deadline=deadline,
            escape=escape,
            includes=job.includes,
            locale_defaults=LocaleDefaults(job.output.locale, job.output.timezone),
        )

    emails = job.emails
    return evaluate_rules(emails.rules, emails.context, files, filename, run, _file_stem(job))


def _file_stem(job: PageJob) -> str:
    """Return the name of files without one: the invoice number, or the template's name."""
    assert job.emails is not None
    # The data have the completed invoice, not only what the caller calls so.
    invoice = (job.data or {}).get("invoice") if job.einvoice is not None else None
    number = invoice.get("number") if isinstance(invoice, Mapping) else None
    return number if isinstance(number, str) and number else job.emails.template_name


def preview_emails(
    job: PageJob, context: JobContext, templates: TemplateRunner, egress: Egress
) -> tuple[RenderedEmail, ...]:
    """Return the emails of a job's rules without drawing: their files are empty.

    Raises RenderFailure for data that do not fit the template's schema.
    """
    job = load_data_and_invoice(job, context, egress)
    output = job.output
    # A fault of the document is shown by its own preview.
    with suppress(RenderFailure):
        output = job.document(context, templates).output
    formats = ("zip",) if output.is_zipped else output.formats
    files = [EmailFile(format_, 0, None) for format_ in formats]
    return job_emails(job, context, templates, files, output.filename)
