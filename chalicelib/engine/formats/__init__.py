"""Output formats: one module and one line here for each."""

from typing import Final

from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.html import HTML
from chalicelib.engine.formats.jpeg import JPEG
from chalicelib.engine.formats.pdf import PDF
from chalicelib.engine.formats.png import PNG
from chalicelib.engine.formats.webp import WEBP

FORMATS: Final[tuple[RenderFormat, ...]] = (PDF, PNG, JPEG, WEBP, HTML)


def format_by_name(name: str) -> RenderFormat:
    """Return the format called `name`, which the contract has checked."""
    return next(format_ for format_ in FORMATS if format_.name == name)
