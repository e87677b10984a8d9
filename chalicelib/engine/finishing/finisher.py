"""What a finisher of PDFs must be able to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing


@dataclass(frozen=True, slots=True)
class Finisher:
    """Changes an opened document; where no finisher `applies`, it is not opened at all."""

    applies: Callable[["Finishing"], bool]
    apply: Callable[["pikepdf.Pdf", "Finishing"], None]
