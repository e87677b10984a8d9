"""From the job's texts to what is shown: templates run, the extra head put in place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Protocol

from chalicelib.engine.data import data_of
from chalicelib.engine.job import Html, Job
from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import Bands, HeaderFooter
from chalicelib.engine.outside import Outside

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


@dataclass(frozen=True, slots=True)
class Document:
    """What is shown: HTML, or the page at an address; and the output, its templates run."""

    html: str
    url: str | None
    output: Output


def document_of(job: Job, templates: Templates, outside: Outside) -> Document:
    """Return what to show; each source is a template of its own, so lines stay true."""
    job = replace(job, data=data_of(job, outside))
    if not isinstance(job.source, Html):
        return Document("", job.source.url, job.output)
    html, head = job.source.html, job.source.head or ""
    if not job.source.templating:
        return Document(_with_head(html, head), None, job.output)
    html, head = (_rendered(text, job, templates) if text else text for text in (html, head))
    return Document(_with_head(html, head), None, _output_of(job, templates))


def _output_of(job: Job, templates: Templates) -> Output:
    """Return the output with what its pages' margins say; they are templates as the document is."""
    output = job.output
    if "pdf" not in output.formats:
        return output

    @cache
    def rendered(band: HeaderFooter | None) -> HeaderFooter | None:
        if band is None or not band.html:
            return band
        return replace(band, html=_rendered(band.html, job, templates))

    def both(bands: Bands) -> Bands:
        return Bands(rendered(bands.header), rendered(bands.footer))

    pdf = output.pdf
    pdf = replace(pdf, bands=both(pdf.bands), first=both(pdf.first), last=both(pdf.last))
    return replace(output, pdf=pdf)


def _rendered(text: str, job: Job, templates: Templates) -> str:
    strict = job.output.strict_undefined
    return templates.render(text, job.data or {}, strict=strict, deadline=job.deadline)


def _with_head(html: str, head: str) -> str:
    if not head:
        return html
    found = next((match for form in _BEFORE_HEAD if (match := form.search(html))), None)
    at = 0 if found is None else found.end()
    return html[:at] + head + html[at:]
