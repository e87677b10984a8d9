"""Fuel: what a template run may still do before it is stopped."""

from collections.abc import Iterable, Iterator
from types import GeneratorType, NoneType
from typing import Any, Final, cast

from chalicelib.engine.templating import limits

_ATOMIC_TYPES: Final = frozenset({bool, int, float, NoneType})
_SHORT_TEXT_CHARACTERS: Final = limits.CHARACTERS_PER_UNIT
_CONTAINER_TYPES: Final = (list, tuple, dict, set, frozenset)


class FuelError(Exception):
    """The run went past its budget."""


class FuelMeter:
    """Counts down the fuel of one run; one meter serves a process, run after run."""

    __slots__ = ("remaining",)

    def __init__(self) -> None:
        """Start with a full tank."""
        self.remaining = limits.FUEL

    def refill(self) -> None:
        """Begin another run."""
        self.remaining = limits.FUEL

    def spend(self, units: int = 1) -> None:
        """Use fuel; raises FuelError when there is none left."""
        assert units >= 0, units
        self.remaining -= units
        if self.remaining < 0:
            message = f"The template used up its {limits.FUEL:,} units of fuel."
            raise FuelError(message)

    def charge_operation[T](self, value: T) -> T:
        """Return a value that took one operation to find."""
        self.spend()
        return value

    def charge_result[T](self, value: T) -> T | Iterator[Any]:
        """Return what an operation built, paid by its size; generators are paid step by step."""
        kind = type(value)
        if kind in _ATOMIC_TYPES or (
            kind is str and len(cast("str", value)) < _SHORT_TEXT_CHARACTERS
        ):
            self.remaining -= 1
            if self.remaining < 0:
                self.spend(0)
        elif isinstance(value, str):
            self.charge_text(len(value))
        elif isinstance(value, _CONTAINER_TYPES):
            self.spend(1 + len(value))
        elif kind is GeneratorType:
            self.spend()
            return iter(MeteredIterable(cast("Iterable[Any]", value), self))
        else:
            self.spend()
        return value

    def charge_text(self, characters: int) -> None:
        """Pay for text; more of it than a whole output may hold is refused at once."""
        if characters > limits.OUTPUT_BYTES:
            message = f"The template built more than {limits.OUTPUT_BYTES:,} characters of text."
            raise FuelError(message)
        self.spend(1 + characters // limits.CHARACTERS_PER_UNIT)


class MeteredIterable:
    """An iterable whose every step costs one unit."""

    __slots__ = ("_meter", "iterable")

    def __init__(self, iterable: Iterable[Any], meter: FuelMeter) -> None:
        """Wrap `source`, which need not be iterable until it is iterated."""
        self.iterable = iterable
        self._meter = meter

    def __iter__(self) -> Iterator[Any]:
        """Walk the source, paying for each step."""
        meter = self._meter
        for item in self.iterable:
            meter.remaining -= 1
            if meter.remaining < 0:
                meter.spend(0)
            yield item
