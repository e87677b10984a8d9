"""One document, from its source to its files: source, page, print, finish."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.browser.page import Page
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.formats import format_named
from chalicelib.engine.formats.format import Format
from chalicelib.engine.job import Job, Outcome, Produced, RenderWarning
from chalicelib.engine.source import Templates, document_of, output_of


@dataclass(frozen=True, slots=True)
class _Drawn:
    """What the browser made of a document."""

    contents: tuple[bytes, ...]
    warnings: tuple[RenderWarning, ...]
    logs: tuple[str, ...]
    load_ms: int
    print_ms: int


def run(job: Job, *, browser: Browser, templates: Templates) -> Outcome:
    """Make the files of a job; raises RenderFailure with the code of what went wrong.

    A failure after the page was opened has the page's `logs` among its members.
    """
    formats = [format_named(name) for name in job.output.formats]
    cold = not browser.warm
    begun = time.monotonic()
    html = document_of(job, templates)
    job = replace(job, output=output_of(job, templates))
    template_ms = _ms_since(begun)
    try:
        drawn = _drawn(browser, html, job, formats)
    finally:
        # The next document's page is made while this one is finished and stored.
        browser.prepare()
    finishing = time.monotonic()
    files = tuple(
        _finish(content, format_, test=job.test)
        for content, format_ in zip(drawn.contents, formats, strict=True)
    )
    timings = {
        "template_ms": template_ms,
        "load_ms": drawn.load_ms,
        "print_ms": drawn.print_ms,
        "finish_ms": _ms_since(finishing),
    }
    return Outcome(files, drawn.warnings, drawn.logs, timings, cold)


def _drawn(browser: Browser, html: str, job: Job, formats: Sequence[Format]) -> _Drawn:
    opened: list[Page] = []

    def draw(page: Page) -> _Drawn:
        opened.append(page)
        return _draw(page, html, job, formats)

    try:
        return browser.use(draw, Deadline.at_epoch(job.deadline))
    except RenderFailure as failure:
        if opened:
            # Also where the browser was lost: what the page said last tells most about it.
            failure.members["logs"] = opened[-1].logs
        raise


def _draw(page: Page, html: str, job: Job, formats: Sequence[Format]) -> _Drawn:
    begun = time.monotonic()
    page.load(html, job.output)
    load_ms = _ms_since(begun)
    begun = time.monotonic()
    contents = []
    for format_ in formats:
        if job.output.media is None and len(formats) > 1:
            page.use_media(format_.media)
        contents.append(format_.draw(page, job.output))
    print_ms = _ms_since(begun)
    return _Drawn(tuple(contents), page.warnings, page.logs, load_ms, print_ms)


def _finish(content: bytes, format_: Format, *, test: bool) -> Produced:
    return format_.describe(format_.mark(content) if test else content)


def _ms_since(moment: float) -> int:
    return round((time.monotonic() - moment) * 1000)
