"""The output's own texts: its file name, headers and footers; templates where the document is."""

import re
from collections.abc import Mapping
from copy import replace
from typing import Final, Protocol

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.options.output import OutputOptions
from chalicelib.engine.options.pdf import PRINT_PLACEHOLDERS, HeaderFooter, HeaderFooterPair

# As the template language writes them, for texts that are no templates.
_PLACEHOLDER: Final = re.compile(r"\{\{[ \t]*(" + "|".join(PRINT_PLACEHOLDERS) + r")[ \t]*\}\}")
_NO_MORE_DATA: Final[Mapping[str, str]] = {}


class EvaluateTemplate(Protocol):
    """Runs a template over the render's data and `more`; `escape`: it is HTML."""

    def __call__(self, source: str, more: Mapping[str, str], *, escape: bool) -> str:
        """Return the text."""
        ...


def render_output_texts(
    output: OutputOptions, run: EvaluateTemplate | None, *, has_url: bool = False
) -> OutputOptions:
    """Return the output with its texts final, but for the marks in what is printed on pages.

    Without `run` nothing is a template: only the marks of plain texts are found. `addressed`: the
    page has an address.
    """
    run = run or _fill_in_placeholders
    if output.filename:
        output = replace(
            output, filename=_render_text(run, output.filename, "filename", _NO_MORE_DATA)
        )
    if "pdf" not in output.formats:
        return output

    pdf = output.pdf
    done: dict[HeaderFooter, HeaderFooter] = {}

    def final(template: HeaderFooter | None, field: str) -> HeaderFooter | None:
        if template is not None and template not in done:
            done[template] = _render_header_footer(run, template, f"pdf.{field}")._replace(
                has_url=has_url
            )
        return None if template is None else done[template]

    def both(pair: HeaderFooterPair, prefix: str = "") -> HeaderFooterPair:
        return HeaderFooterPair(
            final(pair.header, f"{prefix}header"), final(pair.footer, f"{prefix}footer")
        )

    pdf = replace(
        pdf,
        header_footer=both(pdf.header_footer),
        first_page=both(pdf.first_page, "first_"),
        last_page=both(pdf.last_page, "last_"),
        single_page=both(pdf.single_page),
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
    # Whatever the language has begins with a brace.
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
    return _PLACEHOLDER.sub(lambda found: more.get(found[1], found[0]), source)
