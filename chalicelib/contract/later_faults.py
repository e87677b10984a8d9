"""Faults that show once others are out of the way: checks of members that go together.

pydantic runs them only on objects whose members are all valid. So a request that was refused is
validated once more without the members at fault.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, cast

from pydantic import ValidationError

type Path = Sequence[str | int]

_WORD: Final = re.compile(r"\w+")


def validate_without[V](
    paths: Iterable[Path], value: V, validate: Callable[[V], object]
) -> tuple[ValidationError, V] | None:
    """Return the error of a value without the members at these paths, and that value.

    None if there is no error, or no such member.
    """
    rest = value
    for path in paths:
        rest = cast("V", _without(rest, path))
    if rest is value:
        return None
    try:
        validate(rest)
    except ValidationError as error:
        return error, rest
    return None


def is_of_absence(pointer: str, message: str, removed: AbstractSet[str]) -> bool:
    """Tell whether a removed member may be the cause of a fault, whose message then names it.

    `removed` are the pointers of those members, and the names in them.
    """
    return pointer in removed or not removed.isdisjoint(_WORD.findall(message))


def _without(value: object, path: Path) -> object:
    """Return a copy without a member; the value itself if it has none there, or an entry."""
    if not path:
        return value
    step, *inner = path
    if isinstance(value, list) and isinstance(step, int) and inner and step < len(value):
        changed = _without(value[step], inner)
        return value if changed is value[step] else [*value[:step], changed, *value[step + 1 :]]
    if not isinstance(value, dict) or step not in value:
        return value
    members = cast("dict[str | int, object]", value)
    if not inner:
        return {name: each for name, each in members.items() if name != step}
    changed = _without(members[step], inner)
    return value if changed is members[step] else {**members, step: changed}
