"""Repository of webhook endpoints: `WS#<ws>#WHE`, one row each, and `META` with their number.

The secrets of webhooks of requests lie beside them.

All endpoints of a workspace are in one partition, so the relay reads them at once and consistently;
they are few and change rarely.
"""

import datetime as dt
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.features.webhooks.endpoints.default_ids import (
    DefaultIds,
    defaults_of_earlier_row,
    defaults_without,
    earlier_default_id,
    is_of_earlier_release,
    meta_with_defaults,
    stored_defaults,
)
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.workspaces.model import Mode

MAX_ENDPOINTS: Final = 100
# Promise of a mail, a row of its own: `WS#<ws>#WHE#<id>`.
DUE_NOTICE: Final = DueKind("webhook_endpoint_disabled")
_MAX_TRIES: Final = 10
# Rows of the secrets of requests. The live one is that of earlier releases, which had no other.
_SECRET_ROWS: Final[Mapping[Mode, str]] = {"live": "SECRET", "test": "SECRET#test"}
_TUPLES: Final = ("events", "template_ids")


class Endpoints(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Endpoints of all workspaces."""

    table: Table

    def all(self, workspace_id: WorkspaceId) -> list[WebhookEndpoint]:
        """Return the endpoints of a workspace, the oldest first."""
        rows = query_all(
            self.table,
            "PK = :pk AND begins_with(SK, :endpoints)",
            {":pk": endpoints_partition(workspace_id), ":endpoints": "whe_"},
            consistent=True,
        )
        return [_endpoint_of(row) for row in rows]

    def find(self, workspace_id: WorkspaceId, endpoint_id: str) -> WebhookEndpoint | None:
        """Return an endpoint, or None."""
        if not is_id("whe", endpoint_id):
            return None
        row = self.table.get(endpoints_partition(workspace_id), endpoint_id)
        return None if row is None else _endpoint_of(row)

    def one(
        self,
        workspace_id: WorkspaceId,
        endpoint_id: str,
        mode: Mode = "live",
        templates: Collection[str] = (),
    ) -> WebhookEndpoint:
        """Return an endpoint that a key of a mode and allowlist may see; raises `not_found`."""
        endpoint = self.find(workspace_id, endpoint_id)
        if endpoint is None or not endpoint.is_visible_to(mode, templates):
            raise endpoint_not_found(endpoint_id)
        return endpoint

    def default_ids(self, workspace_id: WorkspaceId) -> DefaultIds:
        """Return the ids of the default endpoints by mode; a mode without an endpoint has none."""
        return self._defaults(workspace_id, self._meta(workspace_id))

    def default(self, workspace_id: WorkspaceId, mode: Mode) -> WebhookEndpoint | None:
        """Return the default endpoint of a mode, or None."""
        default_id = self.default_ids(workspace_id).get(mode)
        while default_id is not None:
            endpoint = self.find(workspace_id, default_id)
            if endpoint is not None:
                return endpoint
            # It was deleted between the two reads: another one is the default now.
            former_id, default_id = default_id, self.default_ids(workspace_id).get(mode)
            assert default_id != former_id, "the default endpoint does not exist"
        return None

    def default_of_both_modes(self, workspace_id: WorkspaceId) -> WebhookEndpoint | None:
        """Return the default that an earlier release has stored for both modes, or None.

        It lasts until endpoints come, go or change places.
        """
        earlier_id = earlier_default_id(self._meta(workspace_id))
        return None if earlier_id is None else self.find(workspace_id, earlier_id)

    def create(self, endpoint: WebhookEndpoint) -> None:
        """Store a new endpoint; raises `conflict` beyond 100.

        The first one of its mode is the default of it, unless a restricted key makes it.
        """
        row = Write(self.table, item=_endpoint_row(endpoint), condition="attribute_not_exists(PK)")
        for _ in range(_MAX_TRIES):
            seen = self._meta(endpoint.workspace_id)
            count = seen.get("endpoint_count", 0)
            if count >= MAX_ENDPOINTS:
                detail = f"There are {MAX_ENDPOINTS} webhook endpoints: delete one first."
                raise Conflict("conflict", detail)
            defaults = self._defaults(endpoint.workspace_id, seen)
            if not endpoint.is_of_restricted_key:
                defaults = {endpoint.mode: endpoint.id} | {**defaults}
            try:
                self.table.transact(
                    [self._meta_write(endpoint.workspace_id, seen, count + 1, defaults), row]
                )
            except ConditionFailed:
                continue
            return
        raise _contention_error()

    def delete(self, endpoint: WebhookEndpoint) -> None:
        """Delete an endpoint; of a default one, the oldest other of its mode follows.

        Raises `not_found` if it is deleted already, and `conflict` under too much contention.
        """
        removal = Write(self.table, key=_key(endpoint), condition="attribute_exists(PK)")
        for _ in range(_MAX_TRIES):
            seen = self._meta(endpoint.workspace_id)
            others = [each for each in self.all(endpoint.workspace_id) if each.id != endpoint.id]
            defaults = defaults_without(
                self._defaults(endpoint.workspace_id, seen), endpoint, others
            )
            meta = self._meta_write(endpoint.workspace_id, seen, len(others), defaults)
            try:
                self.table.transact([removal, meta])
            except ConditionFailed as conflict:
                if conflict.index == 0:
                    raise endpoint_not_found(endpoint.id) from conflict
                continue
            return
        raise _contention_error()

    def defaulting(self, endpoint: WebhookEndpoint) -> Write | None:
        """Return the write that makes an endpoint the default of its mode, or None if it is that.

        It is refused if endpoints come, go or change places meanwhile.
        """
        seen = self._meta(endpoint.workspace_id)
        defaults = self._defaults(endpoint.workspace_id, seen)
        if defaults.get(endpoint.mode) == endpoint.id and not is_of_earlier_release(seen):
            return None
        defaults = {**defaults, endpoint.mode: endpoint.id}
        return self._meta_write(
            endpoint.workspace_id, seen, seen.get("endpoint_count", 0), defaults
        )

    def _meta(self, workspace_id: WorkspaceId) -> Row:
        return self.table.get(endpoints_partition(workspace_id)) or {}

    def _defaults(self, workspace_id: WorkspaceId, meta: Row) -> DefaultIds:
        if is_of_earlier_release(meta):
            return defaults_of_earlier_row(meta, self.all(workspace_id))
        return stored_defaults(meta)

    def _meta_write(
        self, workspace_id: WorkspaceId, seen: Row, count: int, defaults: DefaultIds
    ) -> Write:
        """Return the write of `META` as it was seen, with other values."""
        return Write(
            self.table,
            item={
                **meta_with_defaults(seen, defaults),
                "PK": endpoints_partition(workspace_id),
                "SK": "META",
                "endpoint_count": count,
                "changes": seen.get("changes", 0) + 1,
            },
            condition="changes = :changes" if seen else "attribute_not_exists(PK)",
            values={":changes": seen["changes"]} if seen else {},
        )

    def change(
        self,
        endpoint: WebhookEndpoint,
        sets: Mapping[str, RowValue],
        *,
        unchanged: Sequence[str] = (),
        also: Sequence[Write] = (),
    ) -> WebhookEndpoint | None:
        """Change fields of an endpoint and return it, or None if it is deleted or has changed.

        The attributes named by `unchanged` must be those of `endpoint`. The writes `also` are of
        the same transaction.
        """
        try:
            self.table.transact([self.change_write(endpoint, sets, unchanged=unchanged), *also])
        except ConditionFailed:
            return None
        return _endpoint_of(_endpoint_row(endpoint) | dict(sets))

    def change_write(
        self,
        endpoint: WebhookEndpoint,
        sets: Mapping[str, RowValue],
        *,
        unchanged: Sequence[str] = (),
    ) -> Write:
        """Return the write of `change`."""
        conditions = ["attribute_exists(PK)"]
        for name in unchanged:
            # Rows of earlier releases lack later attributes.
            absent = f" OR attribute_not_exists(#{name})" if getattr(endpoint, name) is None else ""
            conditions.append(f"(#{name} = :was_{name}{absent})")
        return Write(
            self.table,
            key=_key(endpoint),
            update="SET " + ", ".join(f"#{name} = :{name}" for name in sets),
            condition=" AND ".join(conditions),
            names={f"#{name}": name for name in {*sets, *unchanged}},
            values={f":{name}": value for name, value in sets.items()}
            | {f":was_{name}": getattr(endpoint, name) for name in unchanged},
        )

    def disabling(
        self, endpoint: WebhookEndpoint, sets: Mapping[str, RowValue], now: dt.datetime
    ) -> Sequence[Write]:
        """Return the writes that disable a failing endpoint and promise a mail to the owners.

        They are refused if the endpoint was enabled (again), paused or disabled meanwhile, or
        another attempt succeeded.
        """
        disabled = {**sets, "enabled": False, "disabled_reason": "failing"}
        notice: dict[str, RowValue] = {
            **_notice_key(endpoint.workspace_id, endpoint.id),
            "due_at": format_rfc3339(now),
            "DPK": DUE_NOTICE.partition(endpoint.id),
        }
        return [
            self.change_write(
                endpoint, disabled, unchanged=("enabled", "enabled_since", "failing_since")
            ),
            Write(self.table, item=notice),
        ]

    def end_notice(self, workspace_id: WorkspaceId, endpoint_id: str) -> None:
        """Delete the promise of a mail."""
        self.table.write(Write(self.table, key=_notice_key(workspace_id, endpoint_id)))

    def sealed_request_secret(self, workspace_id: WorkspaceId, mode: Mode) -> str | None:
        """Return the sealed secret that signs webhooks of requests of a mode, None before its use.

        It signs while there is no default endpoint of the mode.
        """
        partition = endpoints_partition(workspace_id)
        row = self.table.get(partition, _SECRET_ROWS[mode])
        return None if row is None else row["sealed_secret"]

    def add_request_secret(self, workspace_id: WorkspaceId, mode: Mode, sealed: str) -> None:
        """Store the sealed secret of webhooks of requests, unless there is one.

        A repeated or late request must not replace a secret that has signed.
        """
        key = {"PK": endpoints_partition(workspace_id), "SK": _SECRET_ROWS[mode]}
        creation = Write(
            self.table,
            item={**key, "sealed_secret": sealed},
            condition="attribute_not_exists(PK)",
        )
        with suppress(ConditionFailed):
            self.table.write(creation)


def endpoint_not_found(endpoint_id: str) -> NotFound:
    """Return `not_found` for an endpoint."""
    return NotFound("not_found", f"There is no webhook endpoint {endpoint_id[:64]}.")


def endpoints_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's endpoints."""
    return f"WS#{workspace_id}#WHE"


def _notice_key(workspace_id: WorkspaceId, endpoint_id: str) -> Row:
    return {"PK": f"{endpoints_partition(workspace_id)}#{endpoint_id}", "SK": "META"}


def _contention_error() -> Conflict:
    return Conflict("conflict", "Others change these endpoints all the time; try again.")


def _key(endpoint: WebhookEndpoint) -> Row:
    return {"PK": endpoints_partition(endpoint.workspace_id), "SK": endpoint.id}


def _endpoint_row(endpoint: WebhookEndpoint) -> Row:
    row = _key(endpoint) | endpoint._asdict()
    return row | {name: list(row[name]) for name in _TUPLES} | {"headers": dict(endpoint.headers)}


def _endpoint_of(row: Row) -> WebhookEndpoint:
    fields = {name: row[name] for name in WebhookEndpoint._fields if name in row}
    return WebhookEndpoint(**fields | {name: tuple(row[name]) for name in _TUPLES})
