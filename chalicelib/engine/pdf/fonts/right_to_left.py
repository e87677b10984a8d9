"""Texts from right to left: joined letters, and the order in which glyphs stand on a line.

Of the bidirectional algorithm (UAX 9) this has the part that a field needs: one level of nesting,
and no control characters. No other ligatures than lam with alef are made.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, groupby
from typing import Final

# A letter with its marks, and its level.
type _Cluster = tuple[list[str], int]

_ARABIC_FORMS: Final = range(0xFE70, 0xFEFD)
_LAM: Final = "\u0644"
_RIGHT: Final = frozenset({"R", "AL"})
_NUMBERS: Final = frozenset({"EN", "AN"})
_MIRRORED: Final = str.maketrans("()[]{}<>«»", ")(][}{><»«")


def join_letters(text: str) -> str:
    """Return a text with its Arabic letters in the forms that join them."""
    forms = _joining_forms()
    letters = _with_ligatures(text)
    afters = reversed([*_letters_before(reversed(letters))])
    shown = []
    for letter, before, after in zip(letters, _letters_before(letters), afters, strict=True):
        joins_before = ("final", letter) in forms and ("initial", before) in forms
        joins_after = ("initial", letter) in forms and ("final", after) in forms
        kind = {
            (True, True): "medial",
            (True, False): "final",
            (False, True): "initial",
        }.get((joins_before, joins_after), "isolated")
        shown.append(forms.get((kind, letter), letter))
    return "".join(shown)


def visual_order(line: str) -> str:
    """Return a line's characters as they stand from left to right."""
    kinds = [unicodedata.bidirectional(character) for character in line]
    if not _RIGHT.intersection(kinds):
        return line
    levels = _levels(kinds)
    # Marks stay behind the letters that they belong to.
    clusters: list[_Cluster] = []
    for character, kind, level in zip(line, kinds, levels, strict=True):
        if kind == "NSM" and clusters:
            clusters[-1][0].append(character)
        else:
            is_right = level % 2 == 1
            shown = character.translate(_MIRRORED) if is_right else character
            clusters.append(([shown], level))
    for lowest in range(max(levels), 0, -1):
        clusters = _turn_runs(clusters, lowest)
    return "".join(character for characters, _ in clusters for character in characters)


def _turn_runs(clusters: Sequence[_Cluster], lowest: int) -> list[_Cluster]:
    """Turn each run of clusters whose level is at least `lowest`."""
    turned: list[_Cluster] = []
    for is_turned, group in groupby(clusters, lambda each: each[1] >= lowest):
        run = list(group)
        turned += reversed(run) if is_turned else run
    return turned


def plain_text(character: str) -> str:
    """Return the letters of which a joining form is made."""
    is_form = len(character) == 1 and ord(character) in _ARABIC_FORMS
    return unicodedata.normalize("NFKC", character) if is_form else character


def _levels(kinds: Sequence[str]) -> list[int]:
    """Return the level of each character: odd ones run from right to left."""
    base_is_right = next(kind in _RIGHT for kind in kinds if kind == "L" or kind in _RIGHT)
    directions = _directions(kinds, "R" if base_is_right else "L")
    levels = {"R": 1, "L": 2 if base_is_right else 0, "N": 2}
    return [levels[direction] for direction in directions]


def _directions(kinds: Sequence[str], base: str) -> list[str]:
    """Return L, R, or N (a number in a text from the right) for each character."""
    given: list[str | None] = []
    strong = base
    for kind in kinds:
        if kind == "L" or kind in _RIGHT:
            strong = "R" if kind in _RIGHT else "L"
            given.append(strong)
        elif kind in _NUMBERS:
            given.append("N" if strong == "R" else "L")
        else:
            given.append(given[-1] if kind == "NSM" and given else None)
    # What has no direction follows its neighbours, or the line where they differ.
    befores = accumulate(given, lambda last, each: each or last, initial=base)
    afters = [*accumulate(reversed(given), lambda last, each: each or last, initial=base)]
    return [
        direction or _common(before or base, after or base, base)
        for direction, before, after in zip(
            given, list(befores)[:-1], reversed(afters[:-1]), strict=True
        )
    ]


def _common(before: str, after: str, base: str) -> str:
    sides = {"R" if side == "N" else side for side in (before, after)}
    return sides.pop() if len(sides) == 1 else base


def _with_ligatures(text: str) -> list[str]:
    letters: list[str] = []
    forms = _joining_forms()
    for letter in text:
        if letters and letters[-1] == _LAM and ("isolated", _LAM + letter) in forms:
            letters[-1] += letter
        else:
            letters.append(letter)
    return letters


def _letters_before(letters: Iterable[str]) -> Iterator[str]:
    """Yield the nearest letter before each one; marks are none."""
    nearest = ""
    for letter in letters:
        yield nearest
        if unicodedata.category(letter[0]) != "Mn":
            nearest = letter


@cache
def _joining_forms() -> dict[tuple[str, str], str]:
    """Return the joining forms by their kinds and letters; Unicode lists them all."""
    forms = {}
    for code in _ARABIC_FORMS:
        kind, _, letters = unicodedata.decomposition(chr(code)).partition("> ")
        text = "".join(chr(int(letter, 16)) for letter in letters.split())
        if text and not text.startswith(" "):
            forms[kind[1:], text] = chr(code)
    return forms
