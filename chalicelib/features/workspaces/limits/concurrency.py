"""Leases for work without a render that a caller waits for: publishing, preflight, validation.

They count against the sync concurrency of the plan. This bounds the browsers, validators and API
functions that one workspace keeps busy (decision 2).
"""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.features.workspaces.limits.model import Lease
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace

# Longer than any request; a lease that is not released expires then.
_MAX_LEASE: Final = dt.timedelta(seconds=40)


@dataclass(slots=True)
class HeldLease:
    """Lease in use; set `is_left_to_expire` if the work continues without its caller."""

    is_left_to_expire: bool = False


class ConcurrencyLeases(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Context manager that holds a lease."""

    limits: WorkspaceLimits
    clock: Clock
    ids: IdGenerator

    @contextmanager
    def __call__(self, workspace: Workspace, *, until: float | None = None) -> Iterator[HeldLease]:
        """Hold a lease, at most until the Unix time `until`; raise `concurrency_limited`."""
        now = self.clock.now()
        expires_at = now + _MAX_LEASE if until is None else dt.datetime.fromtimestamp(until, dt.UTC)
        lease = Lease(RenderId(self.ids.new("lease", now)), workspace, expires_at)
        held = HeldLease()
        self.limits.acquire_lease(lease, now)
        crash_if_armed(CrashPoint.LEASE_TAKEN)
        try:
            yield held
        finally:
            if not held.is_left_to_expire:
                # The work is done: a failed release must not fail it. The lease expires anyway.
                with tolerate_transient("a concurrency lease is not released"):
                    self.limits.release(workspace.id, lease.id)
