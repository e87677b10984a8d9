"""Faults between a function and AWS: drawn from a seed, counted, and listed as a table."""

import random
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Final, Literal

type FaultKind = Literal[
    "conflict",
    "throttled",
    "unprocessed",
    "reset",
    "error before",
    "error after",
    "lost",
    "cut",
    "late",
    "late after",
    "late before",
    "died before",
    "died after",
]

# The function's process may die or seem dead; no client below repeats such a call.
_KILLING_KINDS: Final = frozenset({"reset", "lost", "cut", "died before", "died after"})
_WRITES: Final = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")
_BATCHES: Final = ("BatchGetItem", "SendMessageBatch")


class FaultInjector:
    """Decides for each call whether and how it fails; `shares` of all calls by kind."""

    def __init__(self, seed: int, shares: Mapping[FaultKind, float]) -> None:
        self.is_on = False
        self.calls: Counter[str] = Counter()
        self.injected: Counter[tuple[str, FaultKind]] = Counter()
        self.late_uploads: set[str] = set()
        """Objects whose upload arrived after its caller had given up."""
        self._shares = shares
        self._random = random.Random(seed)  # noqa: S311 -- faults, no secrets
        self._killed: Counter[str] = Counter()
        self._lock = threading.Lock()

    def draw(self, operation: str, subject: str | None = None) -> FaultKind | None:
        """Return the fault of this call; a `subject` is killed at most once."""
        with self._lock:
            dice = self._random.random()
            if not self.is_on:
                return None
            self.calls[operation] += 1
            for kind, share in self._shares.items():
                dice -= share if _can_happen(kind, operation) else 0
                if dice < 0:
                    return self._inject(operation, kind, subject)
        return None

    def _inject(self, operation: str, kind: FaultKind, subject: str | None) -> FaultKind | None:
        if subject is not None and kind in _KILLING_KINDS:
            if self._killed[subject]:
                return None
            self._killed[subject] += 1
        self.injected[operation, kind] += 1
        return kind

    def table(self) -> str:
        """Return calls and faults, one line for each operation."""
        kinds = sorted({kind for _, kind in self.injected})
        rows = [["operation", "calls", *kinds]]
        rows += [
            [name, str(calls), *(str(self.injected[name, kind] or "-") for kind in kinds)]
            for name, calls in sorted(self.calls.items())
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return "\n".join(
            "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
            for row in rows
        )


def _can_happen(kind: FaultKind, operation: str) -> bool:
    name = operation.partition(".")[2]
    if kind == "conflict":
        return name in _WRITES
    if kind == "unprocessed":
        return name in _BATCHES
    if kind in {"died before", "died after"}:
        return name == "Invoke"
    # An invocation waits as long as the caller of the API: half a minute.
    return not (kind.startswith("late") and name == "Invoke")
