"""The catalogue of error codes: status, title and what the page of each code says."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Problem:
    """One code of the contract."""

    code: str
    status: int
    title: str
    fix: str
    retryable: bool = False


_ROWS: Final[tuple[Problem, ...]] = (
    Problem("invalid_json", 400, "The body is not valid JSON", "Send one JSON document, UTF-8."),
)

PROBLEMS: Final = {row.code: row for row in _ROWS}
