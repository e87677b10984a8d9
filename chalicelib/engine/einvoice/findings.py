"""Findings about an invoice: each has a rule, a message and a JSON path."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from chalicelib.core.errors import json_pointer

if TYPE_CHECKING:
    from chalicelib.engine.report_section import ReportFinding

MAX_FINDINGS: Final = 100
_INDEX: Final = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that an invoice breaks.

    `location` is a JSON path into the request; `count` is how often the rule is broken there.
    """

    rule: str
    message: str
    location: str
    count: int = 1

    def to_json(self) -> "ReportFinding":
        """Return the finding in the form of a conformance report."""
        return {
            "rule": self.rule,
            "message": self.message,
            "location": self.location,
            "path": self.location,
            "count": self.count,
        }


def finding_pointer(path: str, root: str) -> str:
    """Return the JSON Pointer to a finding's JSON path, which begins with `root`.

    Only the rest has indexes: a `[0]` in `root` would be part of a key.
    """
    within = _INDEX.sub(r".\1", path[len(root) :])
    return json_pointer((root + within).split("."))


class InvalidInvoiceError(Exception):
    """An invoice with findings, of which no XML may be written (`einvoice_invalid`)."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(islice(findings, MAX_FINDINGS))
        super().__init__(self.findings[0].message)
