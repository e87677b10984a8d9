"""Margin boxes of each page as the cascade of page rules has them (CSS Paged Media 3).

The browser says of no page which rules it takes for it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.contract.css_values import length_in_inches
from chalicelib.contract.options.pdf import MarginInches
from chalicelib.engine.browser.output.paged.rules import PagedRule

_POINTS_PER_INCH: Final = 72
_SELECTOR: Final = re.compile(r"\s*([\w-]*)((?::[\w-]+)*)\s*")
_SIDES: Final = ("top", "right", "bottom", "left")
# Of `margin` with one to four values: which of them is that of each side.
_SHORTHAND: Final = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}


class PageKind(NamedTuple):
    """Properties of a page that page selectors name."""

    name: str
    is_first: bool
    is_recto: bool
    is_rtl: bool
    is_blank: bool

    def specificity(self, selectors: str) -> tuple[int, int, int] | None:
        """Return how closely a list of selectors fits this page; None where none does."""
        fits = [
            found
            for selector in (selectors[len("@page") :] or "").split(",")
            if (found := self._specificity(selector)) is not None
        ]
        return max(fits, default=None)

    def _specificity(self, selector: str) -> tuple[int, int, int] | None:
        match = _SELECTOR.fullmatch(selector)
        if match is None or (match[1] and match[1] != self.name):
            return None
        classes = match[2].lower().split(":")[1:]
        if not self._classes.issuperset(classes):
            return None
        sides = len({"left", "right"}.intersection(classes))
        return bool(match[1]), len(classes) - sides, sides

    @property
    def _classes(self) -> frozenset[str]:
        side = "right" if self.is_recto != self.is_rtl else "left"
        flags = {"first": self.is_first, "blank": self.is_blank}
        return frozenset({side, *(name for name, holds in flags.items() if holds)})


class PageBoxes(NamedTuple):
    """Margins of a page in points, and the declarations of its margin boxes by their areas."""

    margin: tuple[float, float, float, float]
    areas: Mapping[str, Mapping[str, str]]


def page_boxes(
    kind: PageKind, rules: Sequence[PagedRule], default_margin: MarginInches
) -> PageBoxes:
    """Return margins and margin boxes that the page rules give a page."""
    fitting = [
        (specificity, rule)
        for rule in rules
        if rule.kind in {"margin_box", "box_style", "page_margin"}
        and (specificity := kind.specificity(rule.selectors)) is not None
    ]
    fitting.sort(key=lambda fit: fit[0])
    margin = dict(zip(_SIDES, default_margin, strict=True))
    areas: dict[str, dict[str, str]] = {}
    for _, rule in fitting:
        if rule.kind == "page_margin":
            margin |= _margin(rule.name, rule.value)
        else:
            areas.setdefault(rule.area[1:].lower(), {})[rule.name] = rule.value
    top, right, bottom, left = (margin[side] * _POINTS_PER_INCH for side in _SIDES)
    return PageBoxes((top, right, bottom, left), areas)


def _margin(name: str, value: str) -> dict[str, float]:
    """Return the margins in inches that a declaration sets; none that are no plain lengths."""
    lengths = [_inches(part) for part in value.split()]
    side = name.removeprefix("margin-")
    if name == "margin" and len(lengths) in _SHORTHAND:
        sides = [lengths[place] for place in _SHORTHAND[len(lengths)]]
        return {s: length for s, length in zip(_SIDES, sides, strict=True) if length is not None}
    if side in _SIDES and len(lengths) == 1 and lengths[0] is not None:
        return {side: lengths[0]}
    return {}


def _inches(length: str) -> float | None:
    try:
        return length_in_inches("0in" if length == "0" else length)
    except ValueError:
        return None
