"""What a format must be able to do."""

from collections.abc import Callable
from dataclasses import dataclass

from chalicelib.engine.browser.page import Page
from chalicelib.engine.job import Produced
from chalicelib.engine.options import Output


@dataclass(frozen=True, slots=True)
class Format:
    """Draws a loaded page, marks the result as a test, describes it; `media` is its CSS medium."""

    name: str
    media: str
    draw: Callable[[Page, Output], bytes]
    mark: Callable[[bytes], bytes]
    describe: Callable[[bytes], Produced]
