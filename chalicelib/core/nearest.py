"""Nearest of known names: what somebody meant who wrote another one."""

import re
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from typing import Final

# Of a name that is longer no other one is near, and comparing takes the square of the length.
MAX_NAME_CHARACTERS: Final = 64
_SEPARATORS: Final = re.compile(r"[^0-9a-z]+")
_CUTOFF: Final = 0.75
# Letters that say something of a name which begins or ends with them.
_MIN_WORD: Final = 3


def plain_name(name: str) -> str:
    """Return a name without what spellings differ in: `pageSizes`, `page-size` and `page_size`."""
    plain = _SEPARATORS.sub("", name.lower())
    return plain.removesuffix("s") or plain


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is spelled otherwise, or else like this one; None without one."""
    if not 0 < len(name) <= MAX_NAME_CHARACTERS:
        return None
    by_plain_name: dict[str, str] = {}
    for each in known:
        by_plain_name.setdefault(plain_name(each), each)
    plain = plain_name(name)
    if plain in by_plain_name:
        return by_plain_name[plain]
    # Two letters the wrong way round are not alike by ratio in a short name.
    letters = sorted(plain)
    for each, known_name in by_plain_name.items():
        if sorted(each) == letters:
            return known_name
    matches = get_close_matches(plain, by_plain_name, n=1, cutoff=_CUTOFF)
    return by_plain_name[matches[0]] if matches else None


@lru_cache(maxsize=1024)
def likeness(one: str, other: str) -> float:
    """Return how alike two names are, from 0 to 1; spelling does not matter."""
    if max(len(one), len(other)) > MAX_NAME_CHARACTERS:
        return 0
    shorter, longer = sorted((plain_name(one), plain_name(other)), key=len)
    if len(shorter) >= _MIN_WORD and (longer.startswith(shorter) or longer.endswith(shorter)):
        return max(_CUTOFF, len(shorter) / len(longer))
    matcher = SequenceMatcher(None, shorter, longer, autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= _CUTOFF else 0


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return a question for the end of a message, `: did you mean page_size?`, or an empty text."""
    nearest = nearest_name(name, known)
    return "" if nearest is None else f": did you mean {nearest}?"
