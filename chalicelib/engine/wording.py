"""The output's own texts: its file name, headers and footers; templates where the document is."""

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final, Protocol

from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import MARKS, Bands, HeaderFooter

# As the template language writes them, for texts that are no templates.
_MARK: Final = re.compile(r"\{\{[ \t]*(" + "|".join(MARKS) + r")[ \t]*\}\}")
_NOTHING: Final[Mapping[str, str]] = {}


class Run(Protocol):
    """Runs a template over the render's data and `more`; `escape`: it is HTML."""

    def __call__(self, source: str, more: Mapping[str, str], *, escape: bool) -> str:
        """Return the text."""
        ...


def worded(output: Output, run: Run | None) -> Output:
    """Return the output with its texts final, but for the marks in what is printed on pages.

    Without `run` nothing is a template: only the marks of plain texts are found.
    """
    run = run or _only_marks
    if output.filename:
        output = replace(output, filename=_text(run, output.filename, _NOTHING, escape=False))
    if "pdf" not in output.formats:
        return output

    @cache
    def final(band: HeaderFooter | None) -> HeaderFooter | None:
        return None if band is None else _band(run, band)

    def both(bands: Bands) -> Bands:
        return Bands(final(bands.header), final(bands.footer))

    pdf = output.pdf
    pdf = replace(
        pdf,
        bands=both(pdf.bands),
        first=both(pdf.first),
        last=both(pdf.last),
        only=both(pdf.only),
    )
    return replace(output, pdf=pdf)


def _band(run: Run, band: HeaderFooter) -> HeaderFooter:
    return replace(
        band,
        html=_text(run, band.html, MARKS, escape=True),
        left=_text(run, band.left, MARKS, escape=False),
        center=_text(run, band.center, MARKS, escape=False),
        right=_text(run, band.right, MARKS, escape=False),
    )


def _text(run: Run, text: str | None, more: Mapping[str, str], *, escape: bool) -> str | None:
    # Whatever the language has begins with a brace.
    if not text or "{" not in text:
        return text
    return run(text, more, escape=escape)


def _only_marks(source: str, more: Mapping[str, str], *, escape: bool) -> str:
    if escape:
        return source
    return _MARK.sub(lambda found: more.get(found[1], found[0]), source)
