"""One document, from its source to its files: source, page, draw, finish, pack."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.browser.page import Page
from chalicelib.engine.course import Course
from chalicelib.engine.data import data_of
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.finishing.apart import finished
from chalicelib.engine.finishing.pdfa import conforms
from chalicelib.engine.formats import format_named
from chalicelib.engine.formats.format import Draw, Finishing, Format, FreshPage
from chalicelib.engine.formats.zip import packed
from chalicelib.engine.job import Job, Outcome, Produced, ToJudge
from chalicelib.engine.outside import Outside
from chalicelib.engine.resources import resources_of
from chalicelib.engine.source import Document, Templates, document_of
from chalicelib.engine.unused import unused, unused_data

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.ordered import Invoiced


class Parts(NamedTuple):
    """What documents are made with."""

    browser: Browser
    templates: Templates
    outside: Outside


def run(job: Job, parts: Parts) -> Outcome:
    """Make the files of a job; raises RenderFailure with the code of what went wrong.

    The failure has the Trace of how it came about as its member `trace`.
    """
    course = Course()
    if job.source is None:
        from chalicelib.engine.einvoice.alone import xml_alone  # noqa: PLC0415 -- few jobs are one

        return xml_alone(job, course)
    course.warnings += [*unused(job.output), *unused_data(job)]
    with course.told():
        cold = not parts.browser.warm
        formats = [format_named(name) for name in job.output.formats if name != "xml"]
        with course.stage("template_ms"):
            job, invoiced = _invoiced(job, parts.outside, course)
            document = document_of(job, parts.templates, parts.outside)
            course.warnings += document.warnings
            resources = resources_of(job, parts.outside)
        contents = _drawn(document, job, formats, parts.browser, course)
        with course.stage("finish_ms"):
            finishing = Finishing(
                document.output,
                resources,
                job.test,
                course,
                _fresh_page(job, parts.browser),
                invoiced.embedded if invoiced else None,
            )
            deadline = Deadline.at_epoch(job.deadline, job.stopped)
            files = tuple(
                finished(format_, content, finishing, deadline)
                for content, format_ in zip(contents, formats, strict=True)
            )
            if "xml" in job.output.formats:
                files = _with_xml(files, job, finishing)
            to_judge = (*(invoiced.to_judge if invoiced else ()), *_to_judge(files, finishing))
            filename = document.output.filename
            if job.output.zipped:
                files = (packed(files, filename, deadline),)
        totals = invoiced.totals if invoiced else None
        return Outcome(files, course.trace(), cold, filename, totals, to_judge)


def _to_judge(files: Sequence[Produced], finishing: Finishing) -> list[ToJudge]:
    """Return what is to be asked of a PDF that is made to conform to something."""
    if not conforms(finishing):
        return []
    from chalicelib.engine.conformance.asked import of_pdf  # noqa: PLC0415 -- few are

    return [of_pdf(file.content, finishing) for file in files if file.format == "pdf"]


def _invoiced(job: Job, outside: Outside, course: Course) -> tuple[Job, "Invoiced | None"]:
    """Return the job with what its e-invoice comes to, if it has one."""
    if job.einvoice is None:
        return job, None
    # Few jobs have one.
    from chalicelib.engine.einvoice.ordered import invoiced  # noqa: PLC0415

    return invoiced(replace(job, data=data_of(job, outside), data_url=None), course)


def _with_xml(files: Sequence[Produced], job: Job, finishing: Finishing) -> tuple[Produced, ...]:
    """Return the files with the XML of the e-invoice among them, in the order of the formats."""
    assert finishing.invoice is not None, "xml goes beside an e-invoice only"
    xml = Produced("xml", finishing.invoice.content, "application/xml")
    return tuple(sorted((*files, xml), key=lambda file: job.output.formats.index(file.format)))


def _fresh_page(job: Job, browser: Browser) -> FreshPage:
    def fresh_page[Result](work: Callable[[Page], Result]) -> Result:
        try:
            return browser.use(work, Deadline.at_epoch(job.deadline, job.stopped))
        finally:
            browser.prepare()

    return fresh_page


def _drawn(
    document: Document, job: Job, formats: Sequence[Format], browser: Browser, course: Course
) -> list[bytes]:
    known = len(course.warnings)

    def draw(page: Page) -> list[bytes]:
        if "pdf" in document.output.formats and document.output.pdf.stamped:
            # The page that headers and footers are printed on comes about meanwhile.
            browser.prepare()
        try:
            return _draw(page, document, formats, course)
        finally:
            # Also where the browser was lost: what the page said last tells most about it. A second
            # browser tells all of it again.
            course.warnings[known:] = page.warnings
            course.logs, course.explain = page.logs, page.explanation
            course.links, course.untagged = page.links, page.untagged
            course.address = page.address

    try:
        contents = browser.use(draw, Deadline.at_epoch(job.deadline, job.stopped))
    finally:
        # The next document's page is made while this one is finished and stored.
        browser.prepare()
    return contents


def _draw(page: Page, document: Document, formats: Sequence[Format], course: Course) -> list[bytes]:
    with course.stage("load_ms"):
        if document.url is None:
            page.load(document.html, document.output, measured=document.is_canvas)
        else:
            page.visit(document.url, document.output)
        if document.is_canvas:
            page.fit_canvas(document.output)
    drawn: dict[Draw, bytes] = {}
    with course.stage("print_ms"):
        for format_ in formats:
            if format_.draw not in drawn:
                drawn[format_.draw] = format_.draw(page, document.output)
    return [drawn[format_.draw] for format_ in formats]
