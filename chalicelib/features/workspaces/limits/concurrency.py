"""Places for what a caller waits for and no render is made of: publishing, checks, verdicts.

They are those of the plan's sync renders, so that nobody takes more browsers, validators or
functions of the API than the plan lets be busy at once.
"""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.features.workspaces.limits.model import Lease
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace

# Longer than any request; a place that nobody gives back is free then.
_MAX_LEASE: Final = dt.timedelta(seconds=40)


@dataclass(slots=True)
class HeldLease:
    """A place that is held; where work goes on without its caller, until it runs out by itself."""

    is_left_to_expire: bool = False


class ConcurrencyLeases:
    """Holds places while something is done."""

    def __init__(self, *, limits: WorkspaceLimits, clock: Clock, ids: IdGenerator) -> None:
        """Take them from these limits."""
        self._limits = limits
        self._clock = clock
        self._ids = ids

    @contextmanager
    def __call__(self, workspace: Workspace, *, until: float | None = None) -> Iterator[HeldLease]:
        """Hold a place of a workspace, until a Unix second at most; `concurrency_limited`."""
        now = self._clock.now()
        ends = now + _MAX_LEASE if until is None else dt.datetime.fromtimestamp(until, dt.UTC)
        place, held = Lease(RenderId(self._ids.new("lease", now)), workspace, ends), HeldLease()
        self._limits.acquire_lease(place, now)
        crash_if_armed(CrashPoint.LEASE_TAKEN)
        try:
            yield held
        finally:
            if not held.is_left_to_expire:
                # What was done is done; the place runs out by itself.
                with tolerate_transient("a concurrency lease is not released"):
                    self._limits.release_lease(place)
