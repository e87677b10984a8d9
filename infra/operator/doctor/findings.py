"""Findings of checks, and the run of checks."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Literal, NamedTuple

type FindingStatus = Literal["ok", "warning", "error", "skipped"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of one check; `advice` says what to do, and is empty where nothing is wrong."""

    check: str
    status: FindingStatus
    detail: str
    advice: str = ""

    def as_row(self) -> dict[str, str]:
        """Return the row of the table."""
        return asdict(self)


class Check(NamedTuple):
    """Named group of checks, which yields its findings; it may raise."""

    name: str
    run: Callable[[], Iterable[Finding]]


def run_checks(checks: Iterable[Check]) -> Iterator[Finding]:
    """Yield all findings; a check that raises is a finding itself."""
    for check in checks:
        try:
            yield from check.run()
        except Exception as error:  # noqa: BLE001 -- the other checks go on
            detail = f"{type(error).__name__}: {error}"
            yield Finding(check.name, "error", detail, "mend what the message names")
