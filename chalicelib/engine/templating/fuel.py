"""Fuel: the budget of steps of one template run."""

from collections.abc import ItemsView, Iterable, Iterator, KeysView, ValuesView
from collections.abc import Set as AbstractSet
from types import NoneType
from typing import Final, TypeIs, cast, override

from chalicelib.engine.templating import limits
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.unprintable import Unprintable

_ATOMIC_TYPES: Final = frozenset({bool, int, float, Number, NoneType})
_SHORT_TEXT_CHARACTERS: Final = limits.CHARACTERS_PER_UNIT
_CONTAINER_TYPES: Final = (list, tuple, dict)
_VIEW_TYPES: Final = (KeysView, ValuesView, ItemsView)


class FuelError(Exception):
    """Budget of a run exceeded."""


class FuelMeter:
    """Meter of the fuel left in one run; one meter serves a process, run after run."""

    __slots__ = ("remaining",)

    def __init__(self) -> None:
        """Start with a full budget."""
        self.remaining = limits.FUEL

    def refill(self) -> None:
        """Reset the budget for another run."""
        self.remaining = limits.FUEL

    def spend(self, units: int = 1) -> None:
        """Use fuel; raises FuelError when none is left."""
        assert units >= 0, units
        self.remaining -= units
        if self.remaining < 0:
            message = f"The template used up its {limits.FUEL:,} units of fuel."
            raise FuelError(message)

    def charge_operation[T](self, value: T) -> T:
        """Return `value`, charged as one operation."""
        self.spend()
        return value

    def charge_result[T](self, value: T) -> "T | MeteredIterable | MappingView":
        """Return `value`, charged by its size; an iterator is charged step by step.

        Raises FuelError. Small values decrement the counter directly, because this runs for every
        operation.
        """
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
        elif isinstance(value, Iterator):
            self.spend()
            return MeteredIterable(value, self)
        elif isinstance(value, _VIEW_TYPES):
            self.spend()
            return MappingView(value, self)
        else:
            self.spend()
        return value

    def charge_text(self, characters: int) -> None:
        """Charge for text; raises FuelError at once for more text than an output may have."""
        if characters > limits.OUTPUT_BYTES:
            message = f"The template built more than {limits.OUTPUT_BYTES:,} characters of text."
            raise FuelError(message)
        self.spend(1 + characters // limits.CHARACTERS_PER_UNIT)


class MeteredIterable(Unprintable):
    """Iterable that charges one unit for each step."""

    __slots__ = ("_meter", "iterable")

    def __init__(self, iterable: Iterable[object], meter: FuelMeter) -> None:
        """Wrap `iterable`, whose type is not checked before iteration."""
        self.iterable = iterable
        self._meter = meter

    def __iter__(self) -> Iterator[object]:
        """Iterate and charge each step."""
        meter = self._meter
        for item in self.iterable:
            # `spend` without the call, because it runs for every loop step.
            meter.remaining -= 1
            if meter.remaining < 0:
                meter.spend(0)
            yield item


class MappingView(Unprintable):
    """Keys, values or items of a mapping; keys and items are compared and subtracted as sets."""

    __slots__ = ("_meter", "_view")

    def __init__(
        self,
        view: KeysView[object] | ValuesView[object] | ItemsView[object, object],
        meter: FuelMeter,
    ) -> None:
        """Wrap a view of a dict, whose own text names its class."""
        self._view = view
        self._meter = meter

    def __iter__(self) -> Iterator[object]:
        """Iterate over the view."""
        return iter(self._view)

    def __len__(self) -> int:
        """Return the number of keys."""
        return len(self._view)

    def __contains__(self, item: object) -> bool:
        """Tell whether the view has the item."""
        return item in self._view

    @override
    def __eq__(self, other: object) -> bool:
        """Tell whether both views have the same elements; views of values are never equal."""
        if not isinstance(other, MappingView):
            return NotImplemented
        self._meter.spend(len(self))
        return bool(self._view == other._view)

    __hash__ = None  # type: ignore[assignment]

    def __le__(self, other: object) -> bool:
        """Tell whether all elements are in the other view."""
        return self._set() <= other._set() if self._is_set_as(other) else NotImplemented

    def __lt__(self, other: object) -> bool:
        """Tell whether all elements are in the other view, which has more."""
        return self._set() < other._set() if self._is_set_as(other) else NotImplemented

    def __sub__(self, other: object) -> "MappingView":
        """Return the elements that the other view or list does not have, in their order."""
        if isinstance(self._view, ValuesView) or not isinstance(other, MappingView | list | tuple):
            return NotImplemented
        self._meter.spend(len(self) + len(other))
        removed = set(other)
        kept = dict.fromkeys(element for element in self._view if element not in removed)
        return MappingView(kept.keys(), self._meter)

    def _set(self) -> AbstractSet[object]:
        return cast("AbstractSet[object]", self._view)

    def _is_set_as(self, other: object) -> "TypeIs[MappingView]":
        """Tell whether both are views of keys or items, and charge their comparison."""
        self._meter.spend(len(self))
        return isinstance(other, MappingView) and not isinstance(self._view, ValuesView)

    def _iterate_backwards(self) -> Iterator[object]:
        items: list[object] = [*self._view]
        return reversed(items)

    __reversed__ = _iterate_backwards
