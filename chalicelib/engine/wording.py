"""The output's own texts: its file name, headers and footers; templates where the document is."""

import re
from collections.abc import Mapping
from copy import replace
from typing import Final, Protocol

from chalicelib.core.errors import RenderFailure
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


def worded(output: Output, run: Run | None, *, addressed: bool = False) -> Output:
    """Return the output with its texts final, but for the marks in what is printed on pages.

    Without `run` nothing is a template: only the marks of plain texts are found. `addressed`: the
    page has an address.
    """
    run = run or _only_marks
    if output.filename:
        output = replace(output, filename=_text(run, output.filename, "filename", _NOTHING))
    if "pdf" not in output.formats:
        return output

    pdf = output.pdf
    done: dict[HeaderFooter, HeaderFooter] = {}

    def final(band: HeaderFooter | None, field: str) -> HeaderFooter | None:
        if band is not None and band not in done:
            done[band] = _band(run, band, f"pdf.{field}")._replace(addressed=addressed)
        return None if band is None else done[band]

    def both(bands: Bands, prefix: str = "") -> Bands:
        return Bands(final(bands.header, f"{prefix}header"), final(bands.footer, f"{prefix}footer"))

    pdf = replace(
        pdf,
        bands=both(pdf.bands),
        first=both(pdf.first, "first_"),
        last=both(pdf.last, "last_"),
        only=both(pdf.only),
    )
    return replace(output, pdf=pdf)


def _band(run: Run, band: HeaderFooter, field: str) -> HeaderFooter:
    return replace(
        band,
        html=_text(run, band.html, f"{field}.html", MARKS, escape=True),
        left=_text(run, band.left, f"{field}.left", MARKS),
        center=_text(run, band.center, f"{field}.center", MARKS),
        right=_text(run, band.right, f"{field}.right", MARKS),
    )


def _text(
    run: Run, text: str | None, field: str, more: Mapping[str, str], *, escape: bool = False
) -> str | None:
    # Whatever the language has begins with a brace.
    if not text or "{" not in text:
        return text
    try:
        return run(text, more, escape=escape)
    except RenderFailure as failure:
        message = f"output.{field}: {failure.detail}"
        raise RenderFailure(failure.code, message, **failure.members) from failure


def _only_marks(source: str, more: Mapping[str, str], *, escape: bool) -> str:
    if escape:
        return source
    return _MARK.sub(lambda found: more.get(found[1], found[0]), source)
