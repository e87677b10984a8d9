"""Discounts in payment terms, in the lines that XRechnung defines (BR-DE-18)."""

import re
from typing import Final

from chalicelib.core.text import cut_text

_RULE_FORM: Final = "#SKONTO#TAGE=14#PROZENT=2.00#"
_WHITESPACE: Final = " \t\r\n"
_MAX_QUOTE: Final = 60
_DISCOUNT_START: Final = "#SKONTO#"
_BETWEEN_HASHES: Final = re.compile(r"#[^\r\n]+#")
_AMOUNT: Final = r"[0-9]+\.[0-9]{2}"
# Name, pattern and form of each part between number signs; the last one may be left out.
_PARTS: Final = (
    ("TAGE", re.compile("[0-9]+"), "a whole number of days"),
    ("PROZENT", re.compile(_AMOUNT), "a number with a point and two digits, such as 2.00"),
    ("BASISBETRAG", re.compile(f"-?{_AMOUNT}"), "an amount with a point and two digits"),
)
_MIN_PARTS: Final = 2


def discount_fault(terms: str) -> str | None:
    """Return which line of payment terms is against the rule and why, or None."""
    lines = [line.strip(_WHITESPACE) for line in terms.split("\n")]
    for number, line in enumerate(lines, 1):
        reason = _line_fault(line) if line.startswith("#") else None
        if reason is not None:
            quoted = cut_text(line, _MAX_QUOTE)
            return f"has a wrong line {number} ({quoted}): it {reason}"
    if not any(line.startswith("#") for line in lines):
        return None
    return _text_behind_hashes(terms)


def _text_behind_hashes(terms: str) -> str | None:
    """Return the fault of text behind the last pair of number signs: a line must end there."""
    *_, last = _BETWEEN_HASHES.finditer(terms)
    rest = terms[last.end() :]
    if not rest.strip(_WHITESPACE) or rest.lstrip(" \t\r").startswith("\n"):
        return None
    number = terms.count("\n", 0, last.end()) + 1
    return (
        f"has a wrong line {number}: beside discounts, a line with two # must end with the second"
    )


def _line_fault(line: str) -> str | None:
    """Return why a line that begins with # is none of a discount, or None."""
    if not line.startswith(_DISCOUNT_START):
        return f"begins with #, so it must be a discount such as {_RULE_FORM}"
    if not line.endswith("#") or len(line) == len(_DISCOUNT_START):
        return f"must have its parts and end with #, as {_RULE_FORM}"
    parts = line[len(_DISCOUNT_START) : -1].split("#")
    for (name, pattern, form), part in zip(_PARTS, parts, strict=False):
        found, _, value = part.partition("=")
        if found != name:
            return f"must have {name}= where it has {part or 'nothing'}"
        if pattern.fullmatch(value) is None:
            return f"has {part}, but {name} must be {form}"
    if len(parts) < _MIN_PARTS:
        return f"must also have {_PARTS[len(parts)][0]}="
    return f"must not have more behind {_PARTS[-1][0]}" if len(parts) > len(_PARTS) else None
