"""Lengths on paper: `0`, or a number with its unit; and the sizes of paper that have a name."""

import re
from typing import Final

_INCHES: Final = {
    "mm": 1 / 25.4,
    "cm": 1 / 2.54,
    "in": 1.0,
    "px": 1 / 96,
    "pt": 1 / 72,
    "pc": 1 / 6,
}
# Upright, in millimetres (ISO 216) and inches (ANSI).
_ISO_SIZES: Final = {
    "A0": (841, 1189),
    "A1": (594, 841),
    "A2": (420, 594),
    "A3": (297, 420),
    "A4": (210, 297),
    "A5": (148, 210),
    "A6": (105, 148),
}
PAGE_SIZES: Final = {
    **{name: (width / 25.4, height / 25.4) for name, (width, height) in _ISO_SIZES.items()},
    "Letter": (8.5, 11.0),
    "Legal": (8.5, 14.0),
    "Tabloid": (11.0, 17.0),
    "Ledger": (17.0, 11.0),
}
_LENGTH: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(mm|cm|in|px|pt|pc)")


def inches(length: str) -> float:
    """Turn `10mm` or `0` into inches; raises ValueError for anything else."""
    text = length.strip()
    if re.fullmatch(r"0+(\.0*)?", text):
        return 0.0
    found = _LENGTH.fullmatch(text)
    if found is None:
        message = f"not a length: {length!r}"
        raise ValueError(message)
    return float(found[1]) * _INCHES[found[2]]
