"""Lengths on paper: `0`, or a number with its unit."""

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
