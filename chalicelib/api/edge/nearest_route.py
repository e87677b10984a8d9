"""Nearest route of a path that no endpoint has."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from chalicelib.core.nearest import likeness

_VERSION: Final = "v1"
_MAX_SEGMENTS: Final = 8
# Of the words of a path, as `likeness` has it.
_MIN_LIKENESS: Final = 0.75


def nearest_route(method: str, path: str, routes: Mapping[str, Iterable[str]]) -> str | None:
    """Return the route that a path is most like, with a method that it takes, or None.

    `routes` are the methods of each declared path.
    """
    ranks: dict[str, float] = {}
    for sent in _spellings(path):
        for route in routes:
            ranks[route] = max(ranks.get(route, 0), _rank(sent, _segments(route)))
    best = max(ranks, key=lambda route: (ranks[route], method in routes[route]), default=None)
    if best is None or not ranks[best]:
        return None
    methods = [each for each in routes[best] if each not in {"HEAD", "OPTIONS"}]
    return f"{method if method in methods else ' or '.join(methods)} {best}"


def _segments(path: str) -> Sequence[str]:
    return [segment for segment in path.split("/") if segment]


def _spellings(path: str) -> Iterator[Sequence[str]]:
    """Yield the segments of a path without empty ones, with the version and without a prefix."""
    sent = _segments(path)
    if 0 < len(sent) <= _MAX_SEGMENTS:
        yield sent
        yield [_VERSION, *sent]
        yield [_VERSION, *sent[1:]]
        yield [_VERSION, *sent[2:]]


def _rank(sent: Sequence[str], declared: Sequence[str]) -> float:
    """Return how alike a path is to a declared one, from 0 to the number of its words.

    A parameter takes any segment, and counts little.
    """
    if len(sent) != len(declared):
        return 0
    rank = 0.0
    for one, other in zip(sent, declared, strict=True):
        if other.startswith("{"):
            rank += 0.1
            continue
        alike = likeness(one, other)
        if alike < _MIN_LIKENESS:
            return 0
        rank += alike
    return rank if len(declared) > 1 else 0
