"""From the job's texts to what is shown: templates run, the extra head put in place."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Protocol

from chalicelib.engine.data import data_of
from chalicelib.engine.job import Html, Job
from chalicelib.engine.options.output import Output
from chalicelib.engine.outside import Outside
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.wording import worded

# Where the document's own head begins, or else the last thing that must stand before one.
_BEFORE_HEAD: Final = (
    re.compile(r"<head(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"<html(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"\s*<!doctype[^>]*>", re.IGNORECASE),
)


class Templates(Protocol):
    """Runs templates."""

    def render(
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
        includes: Includes = ...,
    ) -> str:
        """Return the text, HTML where it is to `escape` what it puts in.

        Raises RenderFailure `template_…` or `render_timeout`.
        """
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
        return Document("", job.source.url, worded(job.output, None))
    texts = [job.source.html, job.source.head or "", job.source.css or ""]
    if not job.source.templating:
        return Document(_with_head(*texts), None, worded(job.output, None))
    run = partial(_run, templates, job)
    texts = [run(text, {}, escape=True) if text else text for text in texts]
    return Document(_with_head(*texts), None, worded(job.output, run))


def _run(
    templates: Templates, job: Job, source: str, more: Mapping[str, str], *, escape: bool
) -> str:
    return templates.render(
        source,
        {**(job.data or {}), **more},
        strict=job.output.strict_undefined,
        deadline=job.deadline,
        escape=escape,
        includes=job.includes,
    )


def _with_head(html: str, head: str, css: str) -> str:
    if css:
        head += f"<style>{css}</style>"
    if not head:
        return html
    found = next((match for form in _BEFORE_HEAD if (match := form.search(html))), None)
    at = 0 if found is None else found.end()
    return html[:at] + head + html[at:]
