"""Repository of API keys: `KEY#<id>` in the main table."""

import datetime as dt
from contextlib import suppress
from typing import Final

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import ConditionFailed, Row, RowValue, Table, Write
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.features.workspaces.keys.model import ApiKey, StoredSecret, next_expiry_warning
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.repository import items_of_list, workspace_of
from chalicelib.features.workspaces.service_state.repository import STATE_KEY, ServiceStates

DUE_KEY: Final = DueKind("key")
_MAX_CACHED_OWNERS: Final = 1_000


class ApiKeys:
    """Repository of API keys by id, and of a workspace's keys through the `lists` index."""

    def __init__(self, table: Table, state: ServiceStates | None = None) -> None:
        """Store the table; a given `state` is refreshed by the same read as a key."""
        self._table = table
        self._state = state
        self._workspace_ids: dict[str, WorkspaceId] = {}

    def find(self, key_id: str) -> ApiKey | None:
        """Return the key of this id, or None."""
        return self.find_with_workspace(key_id)[0]

    def find_with_workspace(self, key_id: str) -> tuple[ApiKey | None, Workspace | None]:
        """Return a key, and its workspace if this process has seen the key before.

        Both are read consistently in one call (decision 10). Only the workspace id of a key is
        cached, since it never changes.
        """
        keys = [(f"KEY#{key_id}", "META")]
        # Another thread may clear the cache meanwhile.
        workspace_id = self._workspace_ids.get(key_id)
        if workspace_id is not None:
            keys.append((f"WS#{workspace_id}", "META"))
        needs_state = self._state is not None and not self._state.is_fresh
        state_keys = [STATE_KEY] if needs_state else []
        items = {item["PK"]: item for item in self._table.get_many(keys + state_keys)}
        state = items.pop(STATE_KEY[0], None)
        if self._state is not None and needs_state:
            self._state.cache_item(state)
        item = items.pop(keys[0][0], None)
        if item is None:
            return None, None
        key = _key_of(item)
        if len(self._workspace_ids) >= _MAX_CACHED_OWNERS:
            self._workspace_ids.clear()
        self._workspace_ids[key_id] = key.workspace_id
        workspace = next(iter(items.values()), None)
        return key, workspace_of(workspace) if workspace else None

    def of_workspace(self, workspace_id: WorkspaceId) -> list[ApiKey]:
        """Return all keys of a workspace, newest first."""
        items = items_of_list(self._table, f"WS#{workspace_id}#KEY")
        return [_key_of(item) for item in items]

    def create(self, key: ApiKey) -> None:
        """Write a new key; raise ConditionFailed if its id exists."""
        item = _key_item(key)
        try:
            self._table.write(Write(self._table, item=item, condition="attribute_not_exists(PK)"))
        except ConditionFailed as failure:
            # An equal item is from this call: the write was retried after a lost response.
            if failure.item != item:
                raise

    def roll(self, key: ApiKey, secrets: tuple[StoredSecret, ...]) -> None:
        """Replace the secrets of a key; raise ConditionFailed if they have changed."""
        self._replace_attribute(key, "secrets", _secret_items(secrets))

    def revoke(self, key: ApiKey, at: dt.datetime) -> None:
        """Mark a key revoked; it is not deleted, so its use gets its own error code."""
        self._replace_attribute(key, "revoked_at", format_rfc3339(at))

    def mark_used(self, key: ApiKey, now: dt.datetime, *, since: dt.datetime) -> None:
        """Mark a key used now, unless its last use is later than `since`.

        The write also schedules the expiry warning: keys of earlier releases have none.
        """
        due = _due_attributes(key, next_expiry_warning(key, now))
        sets = ["last_used_at = :now", *(f"{n} = if_not_exists({n}, :{n})" for n in due)]
        write = Write(
            self._table,
            key={"PK": f"KEY#{key.id}", "SK": "META"},
            update="SET " + ", ".join(sets),
            condition="attribute_exists(PK) AND "
            "(attribute_not_exists(last_used_at) OR last_used_at <= :since)",
            values={":now": format_rfc3339(now), ":since": format_rfc3339(since)}
            | {f":{name}": value for name, value in due.items()},
        )
        # If the condition fails, a parallel request has marked the key, or it is deleted.
        with suppress(ConditionFailed):
            self._table.write(write)

    def save_expiry_warning(self, key: ApiKey, days: int | None, due: dt.datetime | None) -> None:
        """Save the last expiry warning of a key, and schedule the next one at `due`."""
        sets = {"warned_days": days} | _due_attributes(key, due)
        update = "SET " + ", ".join(f"{name} = :{name}" for name in sets)
        write = Write(
            self._table,
            key={"PK": f"KEY#{key.id}", "SK": "META"},
            update=update if due else f"{update} REMOVE due_at, DPK",
            condition="attribute_exists(PK)",
            values={f":{name}": value for name, value in sets.items()},
        )
        self._table.write(write)

    def erase(self, workspace_id: WorkspaceId) -> None:
        """Delete all keys of a workspace."""
        for key in self.of_workspace(workspace_id):
            self._table.write(Write(self._table, key={"PK": f"KEY#{key.id}", "SK": "META"}))

    def _replace_attribute(self, key: ApiKey, name: str, value: RowValue) -> None:
        write = Write(
            self._table,
            key={"PK": f"KEY#{key.id}", "SK": "META"},
            update="SET #n = :v",
            condition="secrets = :was AND revoked_at = :none",
            names={"#n": name},
            values={":v": value, ":was": _secret_items(key.secrets), ":none": None},
        )
        try:
            self._table.write(write)
        except ConditionFailed as failure:
            # The new value is from this call: the write was retried after a lost response.
            if failure.item is None or failure.item[name] != value:
                raise


def _key_of(item: Row) -> ApiKey:
    return ApiKey(
        id=KeyId(item["id"]),
        workspace_id=WorkspaceId(item["workspace_id"]),
        mode=item["mode"],
        name=item["name"],
        scopes=frozenset(item["scopes"]),
        secrets=tuple(
            StoredSecret(row["sha256_hex"], _parse_optional_time(row["until"]))
            for row in item["secrets"]
        ),
        created_at=item["created_at"],
        expires_at=_parse_optional_time(item["expires_at"]),
        revoked_at=_parse_optional_time(item["revoked_at"]),
        allow_ips=tuple(item["allow_ips"]),
        templates=tuple(item["templates"]),
        last_used_at=_parse_optional_time(item.get("last_used_at")),
        warned_days=item.get("warned_days"),
        created_by=item.get("created_by"),
    )


def _key_item(key: ApiKey) -> Row:
    due = next_expiry_warning(key, key.created_datetime)
    return _due_attributes(key, due) | {
        "PK": f"KEY#{key.id}",
        "SK": "META",
        "LPK": f"WS#{key.workspace_id}#KEY",
        "LSK": f"{key.created_at}#{key.id}",
        "id": key.id,
        "workspace_id": key.workspace_id,
        "mode": key.mode,
        "name": key.name,
        "scopes": sorted(key.scopes),
        "secrets": _secret_items(key.secrets),
        "created_at": key.created_at,
        "expires_at": format_rfc3339(key.expires_at) if key.expires_at else None,
        "revoked_at": format_rfc3339(key.revoked_at) if key.revoked_at else None,
        "allow_ips": list(key.allow_ips),
        "templates": list(key.templates),
        "created_by": key.created_by,
    }


def _due_attributes(key: ApiKey, at: dt.datetime | None) -> Row:
    return {"due_at": format_rfc3339(at), "DPK": DUE_KEY.partition(key.id)} if at else {}


def _secret_items(secrets: tuple[StoredSecret, ...]) -> list[dict[str, str | None]]:
    return [
        {
            "sha256_hex": secret.sha256_hex,
            "until": format_rfc3339(secret.until) if secret.until else None,
        }
        for secret in secrets
    ]


def _parse_optional_time(text: str | None) -> dt.datetime | None:
    return parse_rfc3339(text) if text else None
