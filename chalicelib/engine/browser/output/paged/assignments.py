"""Values that elements give to a name, as the margin boxes of each page see them (CSS GCPM 3)."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, cast, get_args

type Occurrence = Literal["first", "start", "last", "first-except"]

_OCCURRENCES: Final = frozenset(get_args(Occurrence.__value__))


class Assignment[Value](NamedTuple):
    """Value that holds from a page on; `is_at_top` tells that nothing stands above on that page."""

    page: int
    value: Value
    is_at_top: bool = False


def occurrence(text: str) -> Occurrence | None:
    """Return the keyword of a function's second argument, `first` if it is left out."""
    keyword = text.strip().lower() or "first"
    return cast("Occurrence", keyword) if keyword in _OCCURRENCES else None


def values_by_page[Value](
    assignments: Sequence[Assignment[Value]], pages: int, which: Occurrence
) -> list[Value | None]:
    """Return the value of each page, None where there is none; pages are numbered from 0."""
    by_page: dict[int, list[Assignment[Value]]] = {}
    for assignment in assignments:
        by_page.setdefault(assignment.page, []).append(assignment)
    values: list[Value | None] = []
    carried: Value | None = None
    for page in range(pages):
        own = by_page.get(page, [])
        values.append(_value_of_page(carried, own, which))
        carried = own[-1].value if own else carried
    return values


def _value_of_page[Value](
    carried: Value | None, own: Sequence[Assignment[Value]], which: Occurrence
) -> Value | None:
    if not own or (which == "start" and not own[0].is_at_top):
        return carried
    if which == "first-except":
        return None
    return own[-1 if which == "last" else 0].value
