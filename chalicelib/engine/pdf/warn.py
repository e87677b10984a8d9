"""Warnings of functions that work on a document."""

from typing import Protocol


class Warn(Protocol):
    """Callable that takes a warning, as `TraceRecorder.warn` does."""

    def __call__(self, code: str, message: str, detail: str | None = None) -> None:
        """Add a warning with a code of the contract."""
        ...
