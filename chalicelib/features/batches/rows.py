"""Rows of batches, of their items and counters, and of the releaser of a workspace.

- `WS#<ws>#BAT#<id>`: `META` the batch, listed by id in the `lists` index; `COUNT#<nn>` counters of
  ended items (`ended`, and `<status>_<run>`); `CHUNKS` the first index of each chunk object, and
  how far the CSV is read; `COMBINE#<kind>` the state of a combined file.
- `WS#<ws>#BAT#<id>#<index // 1000>`: `ITEM#<index>` an item that was released.
- `WS#<ws>#BAT`: `META` the lease of the releaser; `ACTIVE#<id>` a batch that has work left.
"""

import datetime as dt
from dataclasses import MISSING, fields
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import Row
from chalicelib.core import json
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.model import ITEMS_PER_PARTITION, Batch, BatchItem, BatchKey

DUE_RELEASE: Final = DueKind("release", shards=8)
DUE_BATCH: Final = DueKind("batch", shards=8)

# A batch may wait for the next billing cycle, and be retried as long as its data are kept.
_LONGEST_PAUSE: Final = dt.timedelta(days=400)

_REQUEST_FIELDS: Final = (
    "template_version",
    "request_id",
    "expires_in_s",
    "retention_days",
    "history_days",
    "metadata",
    "webhook",
    "combine",
    "is_csv",
    "purges_items",
    "zero_retention",
)
_RESULT_FIELDS: Final = ("carried", "counts", "files", "error")
_DEFAULTS: Final = {each.name: each.default for each in fields(Batch)}
_STATE_FIELDS: Final = tuple(
    name for name in _DEFAULTS if name not in (*_REQUEST_FIELDS, *_RESULT_FIELDS)
)
_ITEM_FIELDS: Final = tuple(each.name for each in fields(BatchItem))


def lists_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of the `lists` index that holds a workspace's batches."""
    return f"WS#{workspace_id}#BAT"


def releaser_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's releaser and its active batches."""
    return f"WS#{workspace_id}#BAT"


def partition(batch: BatchKey) -> str:
    """Return the partition of a batch, its counters and its events."""
    workspace_id, batch_id = batch
    return f"WS#{workspace_id}#BAT#{batch_id}"


def item_key(batch: BatchKey, index: int) -> Row:
    """Return the key of an item's row."""
    return {"PK": items_partition(batch, index), "SK": item_sort_key(index)}


def items_partition(batch: BatchKey, index: int) -> str:
    """Return the partition of the row of an item."""
    return f"{partition(batch)}#{index // ITEMS_PER_PARTITION}"


def item_sort_key(index: int) -> str:
    """Return the sort key of an item's row."""
    return f"ITEM#{index:06}"


def batch_key(batch: Batch) -> Row:
    """Return the key of a batch's row."""
    return {"PK": partition(batch.key), "SK": "META"}


def row_of(batch: Batch) -> Row:
    """Return the row of a batch; `batch_of` is the inverse."""
    state = {name: getattr(batch, name) for name in _STATE_FIELDS}
    return {name: value for name, value in state.items() if value is not None} | {
        **batch_key(batch),
        "request": _json_of(batch, _REQUEST_FIELDS),
        "result": result_json(batch),
    }


def list_keys(batch: Batch) -> Row:
    """Return the attributes that put a batch into the list of its workspace."""
    return {"LPK": lists_partition(batch.workspace_id), "LSK": batch.id}


def result_json(batch: Batch) -> str:
    """Return the JSON text `result`, which changes when a run begins or ends."""
    return _json_of(batch, _RESULT_FIELDS)


def batch_of(item: Row) -> Batch:
    """Return the batch of a row."""
    state = {name: item[name] for name in _STATE_FIELDS if name in item}
    request, result = json.loads_own(item["request"]), json.loads_own(item["result"])
    return msgspec.convert({**state, **request, **result}, Batch)


def item_row(batch: Batch, item: BatchItem) -> Row:
    """Return the row of an item; `item_of` is the inverse."""
    values = {name: getattr(item, name) for name in _ITEM_FIELDS}
    if item.error is not None:
        values["error"] = json.dumps(item.error)
    known = {name: value for name, value in values.items() if value is not None}
    return known | item_key(batch.key, item.index) | {"ttl": items_expiry(batch)}


def items_expiry(batch: Batch) -> int:
    """Return the Unix second from which the rows of a batch and of its items are absent."""
    kept = dt.timedelta(days=batch.history_days) + _LONGEST_PAUSE
    return int((parse_rfc3339(batch.created_at) + kept).timestamp())


def item_of(row: Row) -> BatchItem:
    """Return the item of a row."""
    values = {name: row[name] for name in _ITEM_FIELDS if name in row}
    if "error" in values:
        values["error"] = json.loads_own(values["error"])
    return msgspec.convert(values, BatchItem)


def _json_of(batch: Batch, names: tuple[str, ...]) -> str:
    values = {name: getattr(batch, name) for name in names}
    return json.dumps(
        {
            name: msgspec.to_builtins(value)
            for name, value in values.items()
            if _DEFAULTS[name] is MISSING or value != _DEFAULTS[name]
        }
    )
