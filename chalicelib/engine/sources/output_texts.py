"""Texts of a document and of its output as templates."""

import re
from collections.abc import Iterator, Mapping
from copy import replace
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext, RenderWarning
from chalicelib.engine.print_placeholders import PRINT_PLACEHOLDERS
from chalicelib.engine.sources.source_document import SourceInputs
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.template_runner import TemplateRunner
from chalicelib.engine.templating.undefined_value import MAX_UNDEFINED_VALUES, UndefinedValue

# The same placeholders as in templates, for texts that are no templates.
_PLACEHOLDER: Final = re.compile(r"\{\{[ \t]*(" + "|".join(PRINT_PLACEHOLDERS) + r")[ \t]*\}\}")
_LEFT_PLACEHOLDER: Final = re.compile(r"\{\{[^{}]{1,80}\}\}")
_HEADER_FOOTER_FIELDS: Final = ("header", "footer", "first_header", "first_footer", "last_footer")
_TEXT_FIELDS: Final = ("html", "left", "center", "right")
_HIDE_URL: Final = "<style>.url{display:none!important}</style>"
_UNDEFINED_ADVICE: Final = "undefined. If that is meant, add |default('') to the whole expression."
_NULL_ADVICE: Final = "null. If that is meant, add |default('', true) to it."
_NO_MORE_DATA: Final[Mapping[str, str]] = {}


@dataclass(frozen=True, slots=True)
class TemplateTexts:
    """Texts of a document as templates, run over its data; `language` is that of the page.

    `undefined` has the warnings of undefined values that were printed, by their names.
    """

    templates: TemplateRunner
    inputs: SourceInputs
    context: JobContext
    language: str | None = None
    undefined: dict[str, RenderWarning] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return the warnings of the runs so far."""
        return tuple(self.undefined.values())

    def run(
        self, source: str, more: Mapping[str, str], *, escape: bool, name: str = "output"
    ) -> str:
        """Return the text of a template over the data and `more`; warnings call it `name`."""
        output = self.inputs.output
        return self.templates.render(
            source,
            {**self.inputs.data, **more},
            strict=output.strict_undefined,
            deadline=self.context.deadline,
            escape=escape,
            includes=self.inputs.includes,
            locale_defaults=LocaleDefaults(output.locale or self.language, output.timezone),
            on_undefined=partial(self._warn_of_undefined, name),
        )

    def _warn_of_undefined(self, text_name: str, value: UndefinedValue) -> None:
        if value.name in self.undefined or len(self.undefined) >= MAX_UNDEFINED_VALUES:
            return
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


def left_placeholder_warnings(output: OutputOptions) -> Iterator[RenderWarning]:
    """Yield a warning for each text of an output, which is no template, that has placeholders."""
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
