"""Undefined value that a template printed, as the confined process tells it."""

from typing import Final, NamedTuple

MAX_UNDEFINED_VALUES: Final = 20


class UndefinedValue(NamedTuple):
    """Undefined value or null that was printed; `template` is None in the template that runs."""

    name: str
    template: str | None
    line: int
    column: int
    is_null: bool = False
