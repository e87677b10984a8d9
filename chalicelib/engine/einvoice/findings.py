"""What is wrong with an invoice: findings, each with a rule and a place."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

MAX_FINDINGS: Final = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that an invoice breaks, at a JSON path of the caller's."""

    rule: str
    message: str
    location: str
    count: int = 1

    def to_json(self) -> dict[str, Any]:
        """Return the finding as reports carry it."""
        return {
            "rule": self.rule,
            "message": self.message,
            "location": self.location,
            "path": self.location,
            "count": self.count,
        }


class InvalidInvoiceError(Exception):
    """An invoice that nothing may be written from: `einvoice_invalid`."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(islice(findings, MAX_FINDINGS))
        super().__init__(self.findings[0].message)
