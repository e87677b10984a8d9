"""Leases of invocations: they bound the attempts at a time for a receiver and for a workspace.

The leases of a workspace are string sets of one row for each queue: `all`, and one set for each
receiver. An update of a set takes or returns a lease without reading it first (decision 38).
"""

import datetime as dt
import time
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.webhooks.deliveries.model import Receiver
from chalicelib.features.webhooks.endpoints.repository import endpoints_partition

_HAS_ROOM: Final = (
    "(attribute_not_exists(#all) OR size(#all) < :max_all OR contains(#all, :text))"
    " AND (attribute_not_exists(#of) OR size(#of) < :max_of)"
)
_UNPROVEN_HAS_ROOM: Final = (
    " AND (attribute_not_exists(#new) OR size(#new) < :max_new OR contains(#new, :text))"
)
# Tries to get the lease of a receiver that answers soon: others return theirs meanwhile.
_PAUSES_S: Final = (0.1, 0.3)


class DeliveryQueue(NamedTuple):
    """Queue of deliveries, and how many invocations may make attempts at a time.

    A receiver is unproven unless its last attempt succeeded soon. `max_unproven` bounds one of
    them, `max_all_unproven` those of a workspace together.
    """

    name: str
    max_of_workspace: int
    max_of_receiver: int
    max_unproven: int
    max_all_unproven: int


FAST_QUEUE: Final = DeliveryQueue(
    "webhooks", max_of_workspace=16, max_of_receiver=8, max_unproven=2, max_all_unproven=8
)
SLOW_QUEUE: Final = DeliveryQueue(
    "webhooks_slow", max_of_workspace=8, max_of_receiver=4, max_unproven=2, max_all_unproven=8
)


class ReceiverLease(NamedTuple):
    """Lease of one invocation for one receiver; it runs out by itself after a crash.

    `proven`: the receiver's last attempt succeeded soon. The text begins with the time of its end.
    Leases of one invocation in a workspace have the same text, so `all` and `unproven` count it
    once, however many receivers it has.
    """

    workspace_id: WorkspaceId
    queue: DeliveryQueue
    receiver: str
    proven: bool
    text: str

    @property
    def sets(self) -> dict[str, str]:
        """Return the names of the sets that it is in, by their names in expressions."""
        unproven = {} if self.proven else {"#new": "unproven"}
        return {"#all": "all", "#of": f"of_{self.receiver}", **unproven}


class ReceiverLeases(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Leases of all workspaces."""

    table: Table

    def acquire(self, lease: ReceiverLease, now: dt.datetime) -> bool:
        """Take a lease for a receiver; False: there are too many."""
        full = self._take(lease)
        if full is not None and self._remove_expired(lease, full, now):
            full = self._take(lease)
        return full is None

    def release(self, lease: ReceiverLease, *, is_last: bool = True) -> None:
        """Return a lease; once more, or after it ran out, changes nothing.

        `is_last`: the invocation makes no other attempt in the workspace.
        """
        names = ["all", "unproven"] if is_last else []
        names.append(lease.sets["#of"])
        self._remove(lease, {name: {lease.text} for name in names})

    def _take(self, lease: ReceiverLease) -> Row | None:
        """Take a lease; return the row if that has no room."""
        queue = lease.queue
        values: dict[str, RowValue] = {
            ":lease": {lease.text},
            ":text": lease.text,
            ":max_all": queue.max_of_workspace,
            ":max_of": queue.max_of_receiver if lease.proven else queue.max_unproven,
        }
        condition = _HAS_ROOM
        if not lease.proven:
            values[":max_new"] = queue.max_all_unproven
            condition += _UNPROVEN_HAS_ROOM
        write = Write(
            self.table,
            key=_key(lease),
            update="ADD " + ", ".join(f"{name} :lease" for name in lease.sets),
            condition=condition,
            names=lease.sets,
            values=values,
        )
        try:
            self.table.write(write)
        except ConditionFailed as refused:
            row = refused.existing_item
            # This very call has taken it, but its response was lost.
            return None if lease.text in row.get(lease.sets["#of"], ()) else row
        return None

    def _remove_expired(self, lease: ReceiverLease, row: Row, now: dt.datetime) -> bool:
        """Remove the leases that ran out from all sets of the row; False: there are none."""
        limit = format_rfc3339(now)
        expired = {
            name: ended
            for name, texts in row.items()
            if isinstance(texts, AbstractSet)
            and (ended := {text for text in texts if text.partition("#")[0] <= limit})
        }
        if expired:
            self._remove(lease, expired)
        return bool(expired)

    def _remove(self, lease: ReceiverLease, texts: Mapping[str, AbstractSet[str]]) -> None:
        changes = ", ".join(f"#n{number} :n{number}" for number in range(len(texts)))
        removal = Write(
            self.table,
            key=_key(lease),
            update=f"DELETE {changes}",
            condition="attribute_exists(PK)",
            names={f"#n{number}": name for number, name in enumerate(texts)},
            values={f":n{number}": ended for number, ended in enumerate(texts.values())},
        )
        # An update would bring back the row of a workspace that is deleted.
        with suppress(ConditionFailed):
            self.table.write(removal)


def _key(lease: ReceiverLease) -> Row:
    return {"PK": endpoints_partition(lease.workspace_id), "SK": f"LEASES#{lease.queue.name}"}


class BatchLeases:
    """Leases of one invocation: its attempts to one receiver at a time share one."""

    def __init__(self, leases: ReceiverLeases, queue: DeliveryQueue) -> None:
        """Take leases of this queue."""
        self._leases = leases
        self._queue = queue
        self._lock = Lock()
        self._shared: dict[tuple[WorkspaceId, str], _SharedLease] = {}
        self._by_workspace: dict[WorkspaceId, _InvocationLease] = {}

    @contextmanager
    def attempt(
        self,
        workspace_id: WorkspaceId,
        receiver: Receiver,
        claim: str,
        period: tuple[dt.datetime, dt.datetime],
    ) -> Iterator[bool]:
        """Hold a lease for an attempt in the block; False: there is none to be had.

        `period` is the time of the attempt's claim.
        """
        key = (workspace_id, receiver.key)
        shared = self._shared.setdefault(key, _SharedLease())
        with shared.lock:
            if shared.lease is None and not shared.is_refused:
                shared.lease = self._acquire(workspace_id, receiver, claim, period)
                # The others of the batch do not wait for it once more.
                shared.is_refused = shared.lease is None
            has_lease = shared.lease is not None
            shared.users += has_lease
        try:
            yield has_lease
        finally:
            if has_lease:
                self._leave(shared)

    def _acquire(
        self,
        workspace_id: WorkspaceId,
        receiver: Receiver,
        claim: str,
        period: tuple[dt.datetime, dt.datetime],
    ) -> ReceiverLease | None:
        now, until = period
        invocation = self._enter(workspace_id, f"{format_rfc3339(until)}#{claim}")
        lease = ReceiverLease(
            workspace_id, self._queue, receiver.key, receiver.is_proven, invocation.text
        )
        has_lease = False
        try:
            has_lease = self._leases.acquire(lease, now)
            for pause in _PAUSES_S if lease.proven else ():
                if has_lease:
                    break
                time.sleep(pause)
                has_lease = self._leases.acquire(lease, now)
            invocation.is_taken |= has_lease
        except BaseException:
            # Its answer may have been lost.
            invocation.is_taken = True
            raise
        finally:
            if not has_lease:
                self._return(lease)
        return lease if has_lease else None

    def _enter(self, workspace_id: WorkspaceId, text: str) -> "_InvocationLease":
        """Return this invocation's lease in the workspace: a new one after the last user left."""
        with self._lock:
            invocation = self._by_workspace.setdefault(workspace_id, _InvocationLease(text))
            invocation.users += 1
            return invocation

    def _return(self, lease: ReceiverLease) -> None:
        with self._lock:
            invocation = self._by_workspace[lease.workspace_id]
            invocation.users -= 1
            is_last = invocation.users == 0
            if is_last:
                # A lease that is taken meanwhile has another text, which this does not remove.
                del self._by_workspace[lease.workspace_id]
        if invocation.is_taken:
            # Without this it runs out by itself.
            with tolerate_transient("a lease is not returned"):
                self._leases.release(lease, is_last=is_last)

    def _leave(self, shared: "_SharedLease") -> None:
        with shared.lock:
            shared.users -= 1
            if shared.users == 0 and shared.lease is not None:
                lease, shared.lease = shared.lease, None
                self._return(lease)


@dataclass(slots=True)
class _SharedLease:
    """Lease with the number of attempts that use it."""

    lock: Lock = field(default_factory=Lock)
    lease: ReceiverLease | None = None
    users: int = 0
    is_refused: bool = False


@dataclass(slots=True)
class _InvocationLease:
    """Text of an invocation's leases in a workspace, with the number of its receivers there."""

    text: str
    users: int = 0
    is_taken: bool = False
