"""Expectations of the documents of `examples/`; one module an example, named like its folder.

`PAGES` and `SIZE` (millimetres; of a picture also `PIXELS`) are its form; `texts(data)` are texts
that follow from its data, recomputed: they must stand in the document. Blanks do not count.
"""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from importlib import import_module
from typing import Any, Final, NamedTuple, Protocol

A4: Final = (210, 297)
_CENT: Final = Decimal("0.01")


class Texts(Protocol):
    """Computes the texts that a document must show of its data."""

    def __call__(self, data: dict[str, Any]) -> Iterable[str]:
        """Return the texts."""
        ...


class Expectation(NamedTuple):
    """The form of a document, and its texts."""

    pages: int
    size: tuple[int, int]
    pixels: tuple[int, int] | None
    texts: Texts


def expectation(name: str) -> Expectation:
    """Return what an example must show."""
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    return Expectation(module.PAGES, module.SIZE, getattr(module, "PIXELS", None), module.texts)


def exact(value: float | str) -> Decimal:
    """Return the decimal that JSON writes."""
    return Decimal(str(value))


def to(unit: str, amount: Decimal) -> Decimal:
    """Round half away from zero to a multiple of `unit`."""
    return (amount / Decimal(unit)).quantize(Decimal(1), ROUND_HALF_UP) * Decimal(unit)


def written(amount: Decimal, thousands: str, point: str) -> str:
    """Return an amount with two decimals; its minus sign is U+2212."""
    text = f"{amount.quantize(_CENT):,}".replace("-", "\u2212")
    return text.replace(",", "\0").replace(".", point).replace("\0", thousands)
