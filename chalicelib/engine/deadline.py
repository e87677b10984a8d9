"""A moment by which something must be done, on the clock that never jumps."""

import time
from concurrent.futures import Future
from typing import Final, Self

from chalicelib.core.errors import RenderFailure


class Deadline:
    """A moment, or sooner when `stopped` is set; all waiting is bounded by `remaining_s`."""

    def __init__(self, monotonic_s: float, cancellation: Future[None] | None = None) -> None:
        """`at` is on the monotonic clock."""
        self.monotonic_s: Final = monotonic_s
        self.cancellation: Final[Future[None]] = cancellation or Future()

    @classmethod
    def after(cls, seconds: float, cancellation: Future[None] | None = None) -> Self:
        """Return the moment `seconds` from now."""
        return cls(time.monotonic() + seconds, cancellation)

    @classmethod
    def at_epoch(cls, epoch_s: float, cancellation: Future[None] | None = None) -> Self:
        """Return the moment that the wall clock calls `epoch_s`."""
        return cls(time.monotonic() + epoch_s - time.time(), cancellation)

    def remaining_s(self) -> float:
        """Return the seconds that are left, never negative."""
        if self.cancellation.done():
            return 0.0
        return max(self.monotonic_s - time.monotonic(), 0.0)

    def within(self, seconds: float) -> "Deadline":
        """Return the earlier of this moment and `seconds` from now."""
        return Deadline(min(self.monotonic_s, time.monotonic() + seconds), self.cancellation)

    @property
    def has_passed(self) -> bool:
        """Tell whether no time is left."""
        return self.remaining_s() <= 0


def timeout_failure() -> RenderFailure:
    """Return the failure of a job whose deadline has come."""
    return RenderFailure("render_timeout", "the document was not finished in time")
