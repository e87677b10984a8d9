"""Places for schema checks of requests that hold none: async renders, drafts and new templates.

A workspace has two. The item `WS#<ws>#LIM`, `SCHEMAS` has them as a string set, `taken`, of texts
that begin with the time at which they run out.
"""

import datetime as dt
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.core.ids import IdGenerator, WorkspaceId
from chalicelib.core.json import Json
from chalicelib.engine.schemas.check_schemas import SchemaChecker
from chalicelib.features.workspaces.limits.model import limits_partition

PLACES: Final = 2
# Longer than a check; a place that is not given back runs out.
_MAX_HELD: Final = dt.timedelta(seconds=30)
# Five seconds in all.
_PAUSES_S: Final = (0.1, 0.2, 0.4, 0.8, 1.5, 2.0)
# Requests of a workspace that wait in one process: the others are its neighbours'.
_MAX_WAITING: Final = 4


class SchemaPlaces:
    """Places of all workspaces."""

    def __init__(self, *, table: Table, clock: Clock, ids: IdGenerator) -> None:
        """Keep places in this table."""
        self._table = table
        self._clock = clock
        self._ids = ids
        self._lock = threading.Lock()
        self._waiting: Counter[WorkspaceId] = Counter()

    @contextmanager
    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Hold a place in the block; wait up to 5 s for it, then raise `concurrency_limited`."""
        until = self._clock.now() + _MAX_HELD
        text = f"{format_rfc3339(until)}#{self._ids.new('lease', until)}"
        if not self._take(workspace_id, text):
            self._wait(workspace_id, text)
        try:
            yield
        finally:
            # The check is done: a failed release must not fail it. The place runs out anyway.
            with tolerate_transient("a place for a schema check is not given back"):
                self._remove(workspace_id, {text})

    def _wait(self, workspace_id: WorkspaceId, text: str) -> None:
        with self._waiting_room(workspace_id):
            for pause in _PAUSES_S:
                time.sleep(pause)
                if self._take(workspace_id, text):
                    return
        raise _refusal()

    @contextmanager
    def _waiting_room(self, workspace_id: WorkspaceId) -> Iterator[None]:
        with self._lock:
            if self._waiting[workspace_id] >= _MAX_WAITING:
                raise _refusal()
            self._waiting[workspace_id] += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting[workspace_id] -= 1
                # No entry is left of workspaces that do not wait.
                self._waiting = +self._waiting

    def _take(self, workspace_id: WorkspaceId, text: str) -> bool:
        write = Write(
            self._table,
            key=_key(workspace_id),
            update="ADD taken :place",
            condition="attribute_not_exists(taken) OR size(taken) < :places",
            values={":place": {text}, ":places": PLACES},
        )
        try:
            self._table.write(write)
        except ConditionFailed as refused:
            taken = refused.existing_item["taken"]
            if text in taken:
                # This very call has taken it, but its response was lost.
                return True
            now = format_rfc3339(self._clock.now())
            expired = {place for place in taken if place.partition("#")[0] <= now}
            if not expired:
                return False
            self._remove(workspace_id, expired)
            return self._take(workspace_id, text)
        return True

    def _remove(self, workspace_id: WorkspaceId, texts: set[str]) -> None:
        removal = Write(
            self._table,
            key=_key(workspace_id),
            update="DELETE taken :places",
            condition="attribute_exists(PK)",
            values={":places": texts},
        )
        # An update would bring back the item of a workspace that is deleted.
        with suppress(ConditionFailed):
            self._table.write(removal)


class PlacedSchemas(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Schema validator of one workspace whose checks each hold a place."""

    schemas: SchemaChecker
    places: SchemaPlaces
    workspace_id: WorkspaceId

    def check_schema(
        self, schema: Json, *, budget_s: float, prefix: str = "/schema"
    ) -> list[FieldError]:
        """Return the errors of a schema; raises as `schemas`, and `concurrency_limited`."""
        with self.places(self.workspace_id):
            return self.schemas.check_schema(schema, budget_s=budget_s, prefix=prefix)

    def validate(
        self, schema: Json, data: Json, *, budget_s: float, prefix: str = "/data"
    ) -> list[FieldError]:
        """Return the errors of data; raises as `check_schema`."""
        with self.places(self.workspace_id):
            return self.schemas.validate(schema, data, budget_s=budget_s, prefix=prefix)


def _refusal() -> ServiceError:
    return ServiceError(
        "concurrency_limited",
        f"{PLACES} checks against a JSON Schema run for this workspace, as many as may at once, "
        "and none ended in time; send fewer at a time.",
        headers={"Retry-After": "1"},
    )


def _key(workspace_id: WorkspaceId) -> dict[str, str]:
    return {"PK": limits_partition(workspace_id), "SK": "SCHEMAS"}
