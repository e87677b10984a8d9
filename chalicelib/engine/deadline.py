"""Deadline of a job, on the monotonic clock: a change of the wall clock does not move it."""

import time
from concurrent.futures import Future
from typing import Final, Self

from chalicelib.core.errors import RenderFailure


class Deadline:
    """Moment at which a job ends, or sooner when `cancellation` is set.

    `remaining_s` bounds all waiting.
    """

    def __init__(self, monotonic_s: float, cancellation: Future[None] | None = None) -> None:
        """Set the end; `monotonic_s` is in seconds of the monotonic clock."""
        self.monotonic_s: Final = monotonic_s
        self.cancellation: Final[Future[None]] = cancellation or Future()

    @classmethod
    def after(cls, seconds: float, cancellation: Future[None] | None = None) -> Self:
        """Return the deadline `seconds` from now."""
        return cls(time.monotonic() + seconds, cancellation)

    @classmethod
    def at_epoch(cls, epoch_s: float, cancellation: Future[None] | None = None) -> Self:
        """Return the deadline at `epoch_s`, in seconds since 1970."""
        return cls(time.monotonic() + epoch_s - time.time(), cancellation)

    def remaining_s(self) -> float:
        """Return the seconds that are left; 0 after a cancellation, never negative."""
        if self.cancellation.done():
            return 0.0
        return max(self.monotonic_s - time.monotonic(), 0.0)

    def within(self, seconds: float) -> "Deadline":
        """Return this deadline or the one `seconds` from now, whichever is earlier."""
        return Deadline(min(self.monotonic_s, time.monotonic() + seconds), self.cancellation)

    @property
    def has_passed(self) -> bool:
        """Tell whether no time is left."""
        return self.remaining_s() <= 0


def timeout_failure() -> RenderFailure:
    """Return the failure of a job whose deadline has passed."""
    return RenderFailure("render_timeout", "the document was not finished in time")
