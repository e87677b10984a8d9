"""What a format must be able to do."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from chalicelib.engine.browser.page import Page
from chalicelib.engine.course import Course
from chalicelib.engine.job import Produced
from chalicelib.engine.options.output import Output
from chalicelib.engine.options.pdf import Source

if TYPE_CHECKING:
    from chalicelib.engine.finishing.hybrid import InvoiceFile


class FreshPage(Protocol):
    """Gives `work` an empty page of its own, for what is printed beside the document."""

    def __call__[Result](self, work: Callable[[Page], Result]) -> Result:
        """Return what `work` returns; raises as `Browser.use`."""
        ...


@dataclass(frozen=True, slots=True)
class Finishing:
    """What is known when a drawn page becomes a file; `test`: it is marked as one.

    `invoice` is what a PDF has in it, `printed` the PDF as it was opened.
    """

    output: Output
    resources: Mapping[Source, bytes]
    test: bool
    course: Course
    fresh_page: FreshPage
    invoice: "InvoiceFile | None" = None
    printed: bytes = b""


type Draw = Callable[[Page, Output], bytes]


@dataclass(frozen=True, slots=True)
class Format:
    """Draws a loaded page and makes a file of it; what several formats draw alike is drawn once.

    `lengthy`: finishing may take more than half a second, which nothing could cut short here.
    """

    name: str
    draw: Draw
    finish: Callable[[bytes, Finishing], Produced]
    lengthy: Callable[[bytes, Finishing], bool]
