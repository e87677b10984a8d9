"""Source document of a job: runs its templates and inserts the extra head."""

import re
from collections.abc import Mapping
from copy import replace
from functools import partial
from typing import Any, Final, NamedTuple, Protocol

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.output.pictures import check_sizes
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.inputs.data import is_data_needed, load_data
from chalicelib.engine.job import CanvasScene, HtmlDocument, Job, RenderWarning
from chalicelib.engine.options.output import OutputOptions
from chalicelib.engine.options.pdf import PRINT_PLACEHOLDERS, HeaderFooter, HeaderFooterPair
from chalicelib.engine.ports import Egress
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults, page_language
from chalicelib.engine.templating.includes import Includes

# The document's head, or else the last tag that must precede a head.
_HEAD_POSITIONS: Final = (
    re.compile(r"<head(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"<html(?:\s[^>]*)?>", re.IGNORECASE),
    re.compile(r"\s*<!doctype[^>]*>", re.IGNORECASE),
)


# The same placeholders as in templates, for texts that are no templates.
_PLACEHOLDER: Final = re.compile(r"\{\{[ \t]*(" + "|".join(PRINT_PLACEHOLDERS) + r")[ \t]*\}\}")
_NO_MORE_DATA: Final[Mapping[str, str]] = {}


class TemplateRunner(Protocol):
    """Runner of templates."""

    def render(  # noqa: PLR0913 -- all that a run depends on
        self,
        source: str,
        data: Mapping[str, Any],
        *,
        strict: bool,
        deadline: float,
        escape: bool = True,
        includes: Includes = ...,
        locale_defaults: LocaleDefaults = ...,
    ) -> str:
        """Return the text of a template; `escape` makes inserted values safe in HTML.

        Raises RenderFailure `template_…` or `render_timeout`.
        """
        ...


class SourceDocument(NamedTuple):
    """Document to load: HTML, or the page at `url`; `output` has its templates run."""

    html: str
    url: str | None
    output: OutputOptions
    is_canvas: bool = False
    warnings: tuple[RenderWarning, ...] = ()


def build_source_document(job: Job, templates: TemplateRunner, egress: Egress) -> SourceDocument:
    """Return the document of a job.

    Each text is a separate template, so that line numbers in failures are the caller's.
    """
    if is_data_needed(job):
        job = replace(job, data=load_data(job, egress))
    if isinstance(job.source, CanvasScene):
        locale_defaults = LocaleDefaults(job.output.locale, job.output.timezone)
        return _canvas_document(
            job, job.source, partial(_run_template, templates, job, locale_defaults)
        )
    assert job.source is not None, "an e-invoice alone has no page"
    if not isinstance(job.source, HtmlDocument):
        return SourceDocument(
            "", job.source.url, render_output_texts(job.output, None, has_url=True)
        )
    texts = [job.source.html, job.source.head or "", job.source.css or ""]
    if not job.source.templating:
        return SourceDocument(_insert_head(*texts), None, render_output_texts(job.output, None))
    locale_defaults = LocaleDefaults(job.output.locale, job.output.timezone)
    texts[0] = _run_template(templates, job, locale_defaults, texts[0], {}, escape=True)
    # The other texts have no `<html lang>`: they use the language of the document.
    locale_defaults = replace(
        locale_defaults, locale=locale_defaults.locale or page_language(texts[0])
    )
    run = partial(_run_template, templates, job, locale_defaults)
    texts[1:] = [run(text, {}, escape=True) if text else text for text in texts[1:]]
    return SourceDocument(_insert_head(*texts), None, render_output_texts(job.output, run))


class EvaluateTemplate(Protocol):
    """Port that runs a template over the render's data and `more`; `escape` makes it HTML."""

    def __call__(self, source: str, more: Mapping[str, str], *, escape: bool) -> str:
        """Return the text."""
        ...


def render_output_texts(
    output: OutputOptions, run: EvaluateTemplate | None, *, has_url: bool = False
) -> OutputOptions:
    """Return the output with its texts run, except for the placeholders that printing fills in.

    Without `run` no text is a template: only the placeholders of plain texts are replaced.
    `has_url`: the page has a URL.
    """
    run = run or _fill_in_placeholders
    if output.filename:
        output = replace(
            output, filename=_render_text(run, output.filename, "filename", _NO_MORE_DATA)
        )
    if "pdf" not in output.formats:
        return output

    pdf = output.pdf
    results: dict[HeaderFooter, HeaderFooter] = {}

    def render(template: HeaderFooter | None, field: str) -> HeaderFooter | None:
        if template is not None and template not in results:
            results[template] = _render_header_footer(run, template, f"pdf.{field}")._replace(
                has_url=has_url
            )
        return None if template is None else results[template]

    def render_pair(pair: HeaderFooterPair, prefix: str = "") -> HeaderFooterPair:
        return HeaderFooterPair(
            render(pair.header, f"{prefix}header"), render(pair.footer, f"{prefix}footer")
        )

    pdf = replace(
        pdf,
        header_footer=render_pair(pdf.header_footer),
        first_page=render_pair(pdf.first_page, "first_"),
        last_page=render_pair(pdf.last_page, "last_"),
        single_page=render_pair(pdf.single_page),
    )
    return replace(output, pdf=pdf)


def _render_header_footer(
    run: EvaluateTemplate, header_footer: HeaderFooter, field: str
) -> HeaderFooter:
    return replace(
        header_footer,
        html=_render_text(
            run, header_footer.html, f"{field}.html", PRINT_PLACEHOLDERS, escape=True
        ),
        left=_render_text(run, header_footer.left, f"{field}.left", PRINT_PLACEHOLDERS),
        center=_render_text(run, header_footer.center, f"{field}.center", PRINT_PLACEHOLDERS),
        right=_render_text(run, header_footer.right, f"{field}.right", PRINT_PLACEHOLDERS),
    )


def _render_text(
    run: EvaluateTemplate,
    text: str | None,
    field: str,
    more: Mapping[str, str],
    *,
    escape: bool = False,
) -> str | None:
    # Every tag of the template language begins with a brace.
    if not text or "{" not in text:
        return text
    try:
        return run(text, more, escape=escape)
    except RenderFailure as failure:
        message = f"output.{field}: {failure.detail}"
        raise RenderFailure(failure.code, message, **failure.members) from failure


def _fill_in_placeholders(source: str, more: Mapping[str, str], *, escape: bool) -> str:
    if escape:
        return source
    return _PLACEHOLDER.sub(lambda match: more.get(match[1], match[0]), source)


def _canvas_document(job: Job, canvas: CanvasScene, run: EvaluateTemplate) -> SourceDocument:
    # Few documents are scenes: a cold start does not import the canvas modules.
    from chalicelib.engine.canvas.page import canvas_page  # noqa: PLC0415
    from chalicelib.engine.canvas.scene import scene_invalid  # noqa: PLC0415

    page = canvas_page(
        canvas.scene,
        job.data or {},
        render_output_texts(job.output, run),
        run_template=partial(run, more={}, escape=False),
        uploads=job.uploads,
        deadline=Deadline.at_epoch(job.deadline, job.cancellation),
    )
    try:
        check_sizes(page.output)
    except RenderFailure as failure:
        raise scene_invalid("scene", failure.detail) from failure
    return SourceDocument(page.html, None, page.output, is_canvas=True, warnings=page.warnings)


def _run_template(
    templates: TemplateRunner,
    job: Job,
    locale_defaults: LocaleDefaults,
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
        locale_defaults=locale_defaults,
    )


def _insert_head(html: str, head: str, css: str) -> str:
    if css:
        head += f"<style>{css}</style>"
    if not head:
        return html
    match = next((candidate for form in _HEAD_POSITIONS if (candidate := form.search(html))), None)
    position = 0 if match is None else match.end()
    return html[:position] + head + html[position:]
