"""Sources of events: which subjects of a workspace may have a new event, for a bounded cost.

An event is in the partition of its subject, and there is no list of the events of a workspace. So
a source reads rows that change together with an event; each poll reads `MAX_ROWS_READ` at most.
"""

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import batched, islice
from typing import Final, Protocol

import msgspec

from chalicelib.adapters.aws.query_all import listed_since
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, Row, Table
from chalicelib.core.clock import epoch_ms, format_rfc3339
from chalicelib.core.ids import BatchId, RenderId, TemplateId, WorkspaceId, id_created_at, lowest_id
from chalicelib.features.batches import rows as batch_rows
from chalicelib.features.events.model import RowKey
from chalicelib.features.files.repository import DUE_FILE
from chalicelib.features.maintenance.repository import DueIndex
from chalicelib.features.renders import rows as render_rows
from chalicelib.features.renders.model import FINAL_STATUSES
from chalicelib.features.templates.repository import list_partition, template_partition

MAX_ROWS_READ: Final = 300
# Entries of a list that are read at the start.
MAX_LISTED: Final = 5_000
# The `lists` index is behind the table, and clocks of functions differ.
_OVERLAP: Final = dt.timedelta(seconds=10)
# A queued render ends within a day (maintenance gives it up then).
_RENDER_LOOKBACK: Final = dt.timedelta(hours=25)
# The tick hands out expired files each minute.
_EXPIRY_HORIZON: Final = dt.timedelta(seconds=90)
_EXPIRY_SCANS_EVERY: Final = dt.timedelta(seconds=30)
_MAX_EXPIRIES: Final = 1_000


class EventSource(Protocol):
    """Source of events of one workspace."""

    def start(self, now: dt.datetime) -> None:
        """Learn the present rows; earlier events are of no interest."""
        ...

    def changed_subjects(self, since: str, now: dt.datetime) -> Iterator[str]:
        """Yield the partitions of subjects that may have a new event after the time `since`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedKind:
    """Kind of subjects that are in the `lists` index of a workspace.

    `lists` names the partition of the index, `partition` that of a subject, which has its `META`
    row. `last_change` returns the time of the last change of that row that may have an event. A
    subject in one of `final_statuses` has no further event of this source. An older one than
    `lookback` has one of them.
    """

    prefix: str
    lists: Callable[[WorkspaceId], str]
    partition: Callable[[WorkspaceId, str], str]
    last_change: Callable[[Row], str | None]
    final_statuses: Collection[str] = ()
    lookback: dt.timedelta | None = None


RENDERS: Final = ListedKind(
    prefix="rnd",
    lists=render_rows.lists_partition,
    partition=lambda workspace_id, name: render_rows.partition(workspace_id, RenderId(name)),
    last_change=lambda row: row.get("completed_at"),
    final_statuses=FINAL_STATUSES,
    lookback=_RENDER_LOOKBACK,
)
TEMPLATES: Final = ListedKind(
    prefix="tpl",
    lists=list_partition,
    partition=lambda workspace_id, name: template_partition(workspace_id, TemplateId(name)),
    last_change=lambda row: row["updated_at"],
)
# A final batch has events again when its failed items are retried; a canceled one cannot be.
BATCHES: Final = ListedKind(
    prefix="bat",
    lists=batch_rows.lists_partition,
    partition=lambda workspace_id, name: batch_rows.partition((workspace_id, BatchId(name))),
    last_change=lambda row: row.get("last_event_at"),
    final_statuses=("canceled",),
)


class RowWatch:
    """Rows that are read again at each poll: new ones first, the others in turn."""

    def __init__(self, table: Table) -> None:
        """Read from this table."""
        self._table = table
        self._keys: OrderedDict[RowKey, None] = OrderedDict()

    def add(self, key: RowKey) -> None:
        """Watch a row."""
        self._keys[key] = None
        self._keys.move_to_end(key, last=False)

    def remove(self, key: RowKey) -> None:
        """End the watch of a row."""
        self._keys.pop(key, None)

    def read(self) -> Iterator[tuple[RowKey, Row | None]]:
        """Yield the next rows, strongly consistent, or None in place of a missing one."""
        for keys in batched(list(islice(self._keys, MAX_ROWS_READ)), BATCH_GET_LIMIT, strict=False):
            rows = {(row["PK"], row["SK"]): row for row in self._table.get_many(keys)}
            for key in keys:
                self._keys.move_to_end(key)
                yield key, rows.get(key)


class ListedSubjects:
    """Source of a kind: unfinished subjects, and those that appear in the list."""

    def __init__(self, table: Table, workspace_id: WorkspaceId, kind: ListedKind) -> None:
        """Watch the subjects of a workspace."""
        self._table = table
        self._workspace_id = workspace_id
        self._kind = kind
        self._watch = RowWatch(table)
        self._seen: set[str] = set()
        self._reported: dict[RowKey, str] = {}
        self._oldest_new = f"{kind.prefix}_"

    def start(self, now: dt.datetime) -> None:
        """Watch the unfinished ones of the newest `MAX_LISTED` subjects."""
        if self._kind.lookback is not None:
            since = epoch_ms(now - self._kind.lookback)
            self._oldest_new = lowest_id(self._kind.prefix, since)
        entries = self._entries(newest_first=True)
        for row in self._new_entries(islice(entries, MAX_LISTED)):
            if row["status"] not in self._kind.final_statuses:
                self._watch.add(self._key(row["LSK"]))

    def changed_subjects(self, since: str, now: dt.datetime) -> Iterator[str]:  # noqa: ARG002
        """Yield the subjects whose rows have changed."""
        for row in self._new_entries(self._entries()):
            self._watch.add(self._key(row["LSK"]))
        for key, current in self._watch.read():
            changed_at = None if current is None else self._kind.last_change(current)
            if changed_at and changed_at >= since and changed_at != self._reported.get(key):
                self._reported[key] = changed_at
                yield key[0]
            if current is None or current["status"] in self._kind.final_statuses:
                self._watch.remove(key)
                self._reported.pop(key, None)

    def _entries(self, *, newest_first: bool = False) -> Iterator[Row]:
        return listed_since(
            self._table,
            self._kind.lists(self._workspace_id),
            self._oldest_new,
            newest_first=newest_first,
        )

    def _new_entries(self, entries: Iterable[Row]) -> list[Row]:
        """Return the entries that are new in the list."""
        listed = list(entries)
        new = [row for row in listed if row["LSK"] not in self._seen]
        if listed:
            newest = id_created_at(max(row["LSK"] for row in listed))
            overlap = lowest_id(self._kind.prefix, epoch_ms(newest - _OVERLAP))
            self._oldest_new = max(self._oldest_new, overlap)
            names = {row["LSK"] for row in listed}
            self._seen = {name for name in self._seen | names if name >= self._oldest_new}
        return new

    def _key(self, name: str) -> RowKey:
        return self._kind.partition(self._workspace_id, name), "META"


class FixedSubject(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Source of one subject that always exists, such as the workspace; its events are few."""

    partition: str

    def start(self, now: dt.datetime) -> None:
        """Learn nothing."""

    def changed_subjects(self, since: str, now: dt.datetime) -> Iterator[str]:  # noqa: ARG002
        """Yield the subject."""
        yield self.partition


class ExpiringRenders:
    """Source of renders whose files are about to expire: the due index names the files.

    The index is that of all workspaces; a file whose record is due no more has expired.
    """

    def __init__(self, table: Table, workspace_id: WorkspaceId) -> None:
        """Watch the renders of a workspace."""
        self._table = table
        self._workspace_id = workspace_id
        self._index = DueIndex(table=table)
        self._watch = RowWatch(table)
        self._subjects: dict[RowKey, str] = {}
        self._known: set[RowKey] = set()
        self._next_scan: dt.datetime | None = None

    def start(self, now: dt.datetime) -> None:
        """Watch the files that are about to expire."""
        self._scan(now)

    def changed_subjects(self, since: str, now: dt.datetime) -> Iterator[str]:  # noqa: ARG002
        """Yield the renders whose files have expired."""
        if self._next_scan is None or now >= self._next_scan:
            self._scan(now)
        for key, row in self._watch.read():
            if row is None or "due_at" not in row:
                self._watch.remove(key)
                yield self._subjects.pop(key)

    def _scan(self, now: dt.datetime) -> None:
        horizon = format_rfc3339(now + _EXPIRY_HORIZON)
        entries = islice(self._index.entries_due(DUE_FILE, horizon), _MAX_EXPIRIES)
        due = {(entry.pk, entry.sk) for entry in entries}
        for keys in batched(sorted(due - self._known), BATCH_GET_LIMIT, strict=False):
            for row in self._table.get_many(keys):
                if row["workspace_id"] == self._workspace_id:
                    key = row["PK"], row["SK"]
                    render_id = RenderId(row["render_id"])
                    self._subjects[key] = render_rows.partition(self._workspace_id, render_id)
                    self._watch.add(key)
        self._known = due
        self._next_scan = now + _EXPIRY_SCANS_EVERY


def workspace_sources(table: Table, workspace_id: WorkspaceId) -> tuple[EventSource, ...]:
    """Return the sources of all public events of a workspace."""
    return (
        ListedSubjects(table, workspace_id, RENDERS),
        ListedSubjects(table, workspace_id, TEMPLATES),
        ListedSubjects(table, workspace_id, BATCHES),
        FixedSubject(partition=f"WS#{workspace_id}"),
        ExpiringRenders(table, workspace_id),
    )
