"""Document of a source, and the texts of an output as templates."""

import re
from collections.abc import Callable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Required, TypedDict, Unpack

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.inputs.assets import NO_ASSETS, AssetFiles
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.undefined_value import MAX_UNDEFINED_VALUES, UndefinedValue

if TYPE_CHECKING:
    from chalicelib.engine.job import JobContext, PageJob, RenderWarning

# Placeholders in header and footer texts for values that only printing knows. Unicode
# noncharacters (U+FDD0 and following), so that no text contains one.
PRINT_PLACEHOLDERS: Final = {
    "page": "\ufdd0",
    "pages": "\ufdd1",
    "title": "\ufdd2",
    "date": "\ufdd3",
}
# The same placeholders as in templates, for texts that are no templates.
_PLACEHOLDER: Final = re.compile(r"\{\{[ \t]*(" + "|".join(PRINT_PLACEHOLDERS) + r")[ \t]*\}\}")
_LEFT_PLACEHOLDER: Final = re.compile(r"\{\{[^{}]{1,80}\}\}")
_HEADER_FOOTER_FIELDS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")
_TEXT_FIELDS: Final = ("html", "left", "center", "right")
_HIDE_URL: Final = "<style>.url{display:none!important}</style>"
_UNDEFINED_ADVICE: Final = "undefined. If that is meant, add |default('') to the whole expression."
_NULL_ADVICE: Final = "null. If that is meant, add |default('', true) to it."
_NO_MORE_DATA: Final[Mapping[str, str]] = {}


class TemplateRunOptions(TypedDict, total=False):
    """Options of a run; `escape`, True by default, makes inserted values safe in HTML.

    `deadline` is in seconds since 1970.
    """

    strict: Required[bool]
    deadline: Required[float]
    escape: bool
    includes: Includes
    locale_defaults: LocaleDefaults
    on_undefined: Callable[[UndefinedValue], None]


class TemplateRunner(Protocol):
    """Runner of templates."""

    def render(self, source: str, data: JsonObject, **options: Unpack[TemplateRunOptions]) -> str:
        """Return the text of a template.

        Raises RenderFailure `template_…` or `render_timeout`.
        """
        ...


class SourceDocument(NamedTuple):
    """Document to load: HTML, or the page at `url`; `output` has its templates run.

    `assets` are answered at the origin of HTML. `has_templates` tells whether its text was one.
    """

    html: str
    output: OutputOptions
    url: str | None = None
    is_canvas: bool = False
    warnings: "tuple[RenderWarning, ...]" = ()
    assets: AssetFiles = NO_ASSETS
    has_templates: bool = True


@dataclass(frozen=True, slots=True)
class JobTexts:
    """Texts of a job as templates, run over its data; `language` is that of the page.

    `undefined` has the warnings of undefined values that were printed, by their names.
    """

    templates: TemplateRunner
    job: "PageJob"
    context: "JobContext"
    language: str | None = None
    undefined: "dict[str, RenderWarning]" = field(default_factory=dict)

    @property
    def warnings(self) -> "tuple[RenderWarning, ...]":
        """Return the warnings of the runs so far."""
        return tuple(self.undefined.values())

    def run(
        self, source: str, more: Mapping[str, str], *, escape: bool, name: str = "output"
    ) -> str:
        """Return the text of a template over the data and `more`; warnings call it `name`."""
        return self.templates.render(
            source,
            {**(self.job.data or {}), **more},
            strict=self.job.output.strict_undefined,
            deadline=self.context.deadline,
            escape=escape,
            includes=self.job.includes,
            locale_defaults=LocaleDefaults(
                self.job.output.locale or self.language, self.job.output.timezone
            ),
            on_undefined=partial(self._warn_of_undefined, name),
        )

    def _warn_of_undefined(self, text_name: str, value: UndefinedValue) -> None:
        if value.name in self.undefined or len(self.undefined) >= MAX_UNDEFINED_VALUES:
            return
        from chalicelib.engine.job import RenderWarning  # noqa: PLC0415 -- it imports the sources

        text = text_name if value.template is None else f"template {value.template}"
        self.undefined[value.name] = RenderWarning(
            "undefined_value",
            f"The template prints nothing for {value.name}, which is "
            + (_NULL_ADVICE if value.is_null else _UNDEFINED_ADVICE),
            f"{text}, line {value.line}, column {value.column}",
        )


class EvaluateTemplate(Protocol):
    """Port that runs a template over the render's data and `more`; `escape` makes it HTML."""

    def __call__(self, source: str, more: Mapping[str, str], *, escape: bool) -> str:
        """Return the text."""
        ...


def render_output_texts(
    output: OutputOptions, run: EvaluateTemplate | None = None, *, has_url: bool = False
) -> OutputOptions:
    """Return the output with its texts run, except for the placeholders that printing fills in.

    Without `run` no text is a template: only the placeholders of plain texts are replaced. Without
    `has_url` the page has no URL, and its placeholder is hidden.
    """
    run = run or _fill_in_placeholders
    if output.filename:
        output = replace(
            output, filename=_render_text(run, output.filename, "filename", _NO_MORE_DATA)
        )
    if "pdf" not in output.formats:
        return output

    results: dict[HeaderFooter, HeaderFooter] = {}

    def render(template: HeaderFooter, field: str) -> HeaderFooter:
        if not template.is_shown:
            return template
        if template not in results:
            rendered = _render_header_footer(run, template, f"pdf.{field}")
            if rendered.html and not has_url:
                rendered = replace(rendered, html=_HIDE_URL + rendered.html)
            results[template] = rendered
        return results[template]

    pdf = output.pdf
    pdf = replace(
        pdf,
        header=render(pdf.header, "header"),
        footer=render(pdf.footer, "footer"),
        first_header=pdf.first_header and render(pdf.first_header, "first_header"),
        first_footer=pdf.first_footer and render(pdf.first_footer, "first_footer"),
        last_footer=pdf.last_footer and render(pdf.last_footer, "last_footer"),
    )
    return replace(output, pdf=pdf)


def left_placeholder_warnings(output: OutputOptions) -> "Iterator[RenderWarning]":
    """Yield a warning for each text of an output, which is no template, that has placeholders."""
    from chalicelib.engine.job import RenderWarning  # noqa: PLC0415 -- it imports the sources

    texts = {"filename": output.filename}
    if "pdf" in output.formats:
        for name in _HEADER_FOOTER_FIELDS:
            part: HeaderFooter | None = getattr(output.pdf, name)
            if part is not None and part.is_shown:
                texts |= {f"pdf.{name}.{field}": getattr(part, field) for field in _TEXT_FIELDS}
    for name, text in texts.items():
        found = _LEFT_PLACEHOLDER.search(text or "")
        if found is not None:
            message = (
                f"output.{name} has {found[0]}: without data it is no template. Send `data`, or "
                "`templating` true."
            )
            yield RenderWarning("placeholder_left", message, f"output.{name}")


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
        raise failure.with_text_name(f"output.{field}") from failure


def _fill_in_placeholders(source: str, more: Mapping[str, str], *, escape: bool) -> str:
    if escape:
        return source
    return _PLACEHOLDER.sub(lambda match: more.get(match[1], match[0]), source)
