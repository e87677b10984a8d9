"""From the job's texts to what is shown: templates run, the extra head put in place."""

import re
from collections.abc import Mapping
from copy import replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pictures import check_sizes
from chalicelib.engine.data import asks_for_data, data_of
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import Canvas, Html, Job, RenderWarning
from chalicelib.engine.options.output import Output
from chalicelib.engine.outside import Outside
from chalicelib.engine.templating.filters.habits import Habits
from chalicelib.engine.templating.filters.pages import page_language
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.wording import Run, worded

# Where the document's own head begins, or else the last thing that must stand before one.
_BEFORE_HEAD: Final = (
    re.compile(r"<head(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"<html(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"\s*<!doctype[^>]*>", re.IGNORECASE),
)


class Templates(Protocol):
    """Runs templates."""

    def render(  # noqa: PLR0913 -- all that a run depends on
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
        includes: Includes = ...,
        habits: Habits = ...,
    ) -> str:
        """Return the text, HTML where it is to `escape` what it puts in.

        Raises RenderFailure `template_…` or `render_timeout`.
        """
        ...


class Document(NamedTuple):
    """What is shown: HTML, or the page at an address; and the output, its templates run."""

    html: str
    url: str | None
    output: Output
    is_canvas: bool = False
    warnings: tuple[RenderWarning, ...] = ()


def document_of(job: Job, templates: Templates, outside: Outside) -> Document:
    """Return what to show; each source is a template of its own, so lines stay true."""
    if asks_for_data(job):
        job = replace(job, data=data_of(job, outside))
    if isinstance(job.source, Canvas):
        habits = Habits(job.output.locale, job.output.timezone)
        return _canvas(job, job.source, partial(_run, templates, job, habits))
    assert job.source is not None, "an e-invoice alone has no page"
    if not isinstance(job.source, Html):
        return Document("", job.source.url, worded(job.output, None, addressed=True))
    texts = [job.source.html, job.source.head or "", job.source.css or ""]
    if not job.source.templating:
        return Document(_with_head(*texts), None, worded(job.output, None))
    habits = Habits(job.output.locale, job.output.timezone)
    texts[0] = _run(templates, job, habits, texts[0], {}, escape=True)
    # What else is written has no `<html lang>` of its own.
    habits = replace(habits, locale=habits.locale or page_language(texts[0]))
    run = partial(_run, templates, job, habits)
    texts[1:] = [run(text, {}, escape=True) if text else text for text in texts[1:]]
    return Document(_with_head(*texts), None, worded(job.output, run))


def _canvas(job: Job, canvas: Canvas, run: Run) -> Document:
    # Few documents are scenes: no start waits for what draws them.
    from chalicelib.engine.canvas.page import page_of  # noqa: PLC0415
    from chalicelib.engine.canvas.scene import scene_invalid  # noqa: PLC0415

    page = page_of(
        canvas.scene,
        job.data or {},
        worded(job.output, run),
        run=partial(run, more={}, escape=False),
        uploads=job.uploads,
        deadline=Deadline.at_epoch(job.deadline, job.stopped),
    )
    try:
        check_sizes(page.output)
    except RenderFailure as failure:
        raise scene_invalid("scene", failure.detail) from failure
    return Document(page.html, None, page.output, is_canvas=True, warnings=page.warnings)


def _run(
    templates: Templates,
    job: Job,
    habits: Habits,
    source: str,
    more: Mapping[str, str],
    *,
    escape: bool,
) -> str:
    return templates.render(
        source,
        {**(job.data or {}), **more},
        strict=job.output.strict_undefined,
        deadline=job.deadline,
        escape=escape,
        includes=job.includes,
        habits=habits,
    )


def _with_head(html: str, head: str, css: str) -> str:
    if css:
        head += f"<style>{css}</style>"
    if not head:
        return html
    found = next((match for form in _BEFORE_HEAD if (match := form.search(html))), None)
    at = 0 if found is None else found.end()
    return html[:at] + head + html[at:]
