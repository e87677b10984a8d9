"""From the job's texts to what is shown: templates run, the extra head put in place."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Protocol

from chalicelib.engine.job import Job
from chalicelib.engine.options import Output

# Where the document's own head begins, or else the last thing that must stand before one.
_BEFORE_HEAD: Final = (
    re.compile(r"<head(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"<html(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"\s*<!doctype[^>]*>", re.IGNORECASE),
)


class Templates(Protocol):
    """Runs templates."""

    def render(self, source: str, data: Mapping[str, Any], *, strict: bool, deadline: float) -> str:
        """Return the text; raises RenderFailure `template_…` or `render_timeout`."""
        ...


def document_of(job: Job, templates: Templates) -> str:
    """Return the HTML to show; each source is a template of its own, so lines stay true."""
    html, head = (
        _rendered(text, job, templates) if job.templating and text else text
        for text in (job.html, job.head or "")
    )
    return _with_head(html, head) if head else html


def output_of(job: Job, templates: Templates) -> Output:
    """Return the output with what its pages' margins say; they are templates as the document is."""
    output = job.output
    if not job.templating or "pdf" not in output.formats:
        return output
    header, footer = (
        _rendered(text, job, templates) if text else text
        for text in (output.pdf.header, output.pdf.footer)
    )
    return replace(output, pdf=replace(output.pdf, header=header, footer=footer))


def _rendered(text: str, job: Job, templates: Templates) -> str:
    strict = job.output.strict_undefined
    return templates.render(text, job.data or {}, strict=strict, deadline=job.deadline)


def _with_head(html: str, head: str) -> str:
    found = next((match for form in _BEFORE_HEAD if (match := form.search(html))), None)
    at = 0 if found is None else found.end()
    return html[:at] + head + html[at:]
