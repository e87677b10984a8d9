"""A moment by which something must be done, on the clock that never jumps."""

import time
from dataclasses import dataclass
from typing import Self

from chalicelib.core.errors import RenderFailure


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment; all waiting is bounded by `remaining_s`."""

    at: float

    @classmethod
    def after(cls, seconds: float) -> Self:
        """Return the moment `seconds` from now."""
        return cls(time.monotonic() + seconds)

    @classmethod
    def at_epoch(cls, epoch_s: float) -> Self:
        """Return the moment that the wall clock calls `epoch_s`."""
        return cls.after(epoch_s - time.time())

    def remaining_s(self) -> float:
        """Return the seconds that are left, never negative."""
        return max(self.at - time.monotonic(), 0.0)

    def sooner(self, seconds: float) -> "Deadline":
        """Return the earlier of this moment and `seconds` from now."""
        return Deadline(min(self.at, time.monotonic() + seconds))

    @property
    def passed(self) -> bool:
        """Tell whether no time is left."""
        return self.remaining_s() <= 0


def out_of_time() -> RenderFailure:
    """Return the failure of a job whose deadline has come."""
    return RenderFailure("render_timeout", "the document was not finished in time")
