"""Time that a test moves forward in modules that read the monotonic clock."""

import time
from types import ModuleType

import pytest


class SkippedTime:
    """Stand-in of the module `time`; it runs as the real one, but for skipped time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
        """Put it into these modules."""
        self._skipped_s = 0.0
        for module in modules:
            monkeypatch.setattr(module, "time", self)

    def monotonic(self) -> float:
        return time.monotonic() + self._skipped_s

    def skip(self, seconds: float) -> None:
        self._skipped_s += seconds
