"""Rows of renders: `WS#<ws>#RND#<id>`, listed by id in the `lists` index.

Values used in conditions, filters and indexes are attributes. All others are in two JSON texts,
`request` and `outcome` (decision 4).
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import Row
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core import json
from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import RenderId, WorkspaceId, sha256_hex
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.accept.redact_request import redacted_options
from chalicelib.features.renders.model import BodyKey, Render, StorageReceipt, UploadTargets
from chalicelib.features.webhooks.request_webhook import RequestWebhook
from chalicelib.features.workspaces.limits.model import Reservation

DUE_RENDER: Final = DueKind("render", shards=8)

_FILES_MARGIN: Final = dt.timedelta(days=30)
# More have their common values and beginnings once: hundreds of files fit into a row. One file
# takes 326 bytes whole and 499 in columns, and each KB of a row is a write unit at every change:
# a render with one file of each format stays whole (decision 50).
_MAX_WHOLE_FILES: Final = 6

# Of the hash of an entry of metadata: 50 of them fit into an index entry of a kilobyte.
_FACET_DIGITS: Final = 8

type _Fields = dict[str, Json]

# Rows leave out what has its default in Render, as rows of earlier releases lack later fields.
_REQUEST_FIELDS: Final = (
    "input",
    "output",
    "delivery",
    "expires_in_s",
    "max_pages",
    "engine",
    "metadata",
    "webhook",
    "priority",
    "source",
    "hosted",
    "is_combined",
    "zero_retention",
    "retention_days",
    "history_days",
    "template_version",
    "batch_index",
    "batch_run",
    "link_id",
)
_OPTIONAL_ATTRIBUTES: Final = (
    "reference",
    "template_id",
    "batch_id",
    "started_at",
    "completed_at",
    "expires_at",
    "traceparent",
)
_OUTCOME_FIELDS: Final = (
    "warnings",
    "error",
    "timings",
    "logs",
    "file_formats",
    "explain",
    "result",
    "invoice",
)
_OUTCOME_LISTS: Final = ("warnings", "logs", "file_formats")


def lists_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of the `lists` index that holds a workspace's renders."""
    return f"WS#{workspace_id}#RND"


def due_shard(render: Render) -> str:
    """Return the partition of the `due` index with the render's due item."""
    return DUE_RENDER.partition(render.id)


def partition(workspace_id: WorkspaceId, render_id: RenderId) -> str:
    """Return the partition of a render and its events."""
    return f"WS#{workspace_id}#RND#{render_id}"


def facets_of(render: Render) -> tuple[str, ...]:
    """Return short texts of what lists are filtered by, for the index of lists."""
    return (
        facet("input_type", render.input_type),
        *([] if render.output_format is None else [facet("output_format", render.output_format)]),
        facet("source", render.source),
        *(metadata_facet(key, metadata_text(value)) for key, value in metadata_of(render).items()),
    )


def facet(name: str, value: str) -> str:
    """Return the facet of a property with few values; short, as a row costs by its kilobytes."""
    return f"{name[0]}:{value}"


def metadata_facet(key: str, text: str) -> str:
    """Return the facet of an entry of metadata, which a few others have too."""
    return sha256_hex(json.canonical_bytes([key, text]))[:_FACET_DIGITS]


def metadata_of(render: Render) -> JsonObject:
    """Return the metadata of a render, empty where it has none."""
    return render.metadata or {}


def metadata_text(value: Json) -> str:
    """Return a value of metadata as a query names it."""
    return value if isinstance(value, str) else json.dumps(value)


def row_key(workspace_id: WorkspaceId, render_id: RenderId) -> Row:
    """Return the key of a render's row."""
    return {"PK": partition(workspace_id, render_id), "SK": "META"}


def row_of(render: Render) -> Row:
    """Return the row of a render; `render_of` is the inverse.

    Values that are not known yet are absent, unless a condition needs them.
    """
    optional = {name: getattr(render, name) for name in _OPTIONAL_ATTRIBUTES}
    return {name: value for name, value in optional.items() if value is not None} | {
        "PK": partition(render.workspace_id, render.id),
        "SK": "META",
        "LPK": lists_partition(render.workspace_id),
        "LSK": render.id,
        "id": render.id,
        "workspace_id": render.workspace_id,
        "status": render.status,
        "mode": render.mode,
        "test": render.test,
        "body_key": body_key_text(render),
        "attempt": render.attempt,
        "waived_attempts": render.waived_attempts,
        "hold": render.reservation.source,
        "leased": render.reservation.has_lease,
        "relay_settles": render.reservation.is_settled_by_relay,
        "billed": render.billed,
        "created_at": render.created_at,
        "request_id": render.request_id,
        "files_purged_at": render.files_purged_at,
        "request": request_json(render),
        "outcome": outcome_json(render),
        "facets": list(facets_of(render)),
        **({"announced": render.announced} if render.announced else {}),
        **({"email_count": render.email_count} if render.email_count else {}),
        **({} if render.email_counts is None else {"emails": render.email_counts}),
        **storage_attributes(render),
    }


def body_key_text(render: Render) -> str | None:
    """Return the key of a render's stored body as its row has it."""
    return None if render.body_key is None else str(render.body_key)


def request_json(render: Render) -> str:
    """Return the JSON text `request`, which never changes."""
    request = _without_defaults(render, _REQUEST_FIELDS)
    differences = output_differences(render.output)
    if differences is not None:
        del request["output"]
        request |= {"options": differences} if differences else {}
    return json.dumps(request)


def outcome_json(render: Render) -> str:
    """Return the JSON text `outcome`, which is written with the final state."""
    outcome = _without_defaults(render, _OUTCOME_FIELDS)
    if len(render.files) > _MAX_WHOLE_FILES:
        outcome["file_columns"] = _file_columns(render.files)
    elif render.files:
        outcome["files"] = [_file_json(file, render) for file in render.files]
    # Console output of a page may contain lone surrogates, which UTF-8 cannot encode.
    return json.dumps(outcome).encode(errors="replace").decode()


def render_of(item: Row) -> Render:
    """Return the render of a row."""
    request, outcome = json.loads_own(item["request"]), json.loads_own(item["outcome"])
    output, options = request.pop("output", None), request.pop("options", {})
    url_and_events = request.pop("webhook", None)
    files = _files_of_columns(outcome.pop("file_columns", {})) or tuple(
        _file(file, item) for file in outcome.pop("files", ())
    )
    return Render(
        id=RenderId(item["id"]),
        workspace_id=WorkspaceId(item["workspace_id"]),
        status=item["status"],
        mode=item["mode"],
        test=item["test"],
        reference=item.get("reference"),
        template_id=item.get("template_id"),
        batch_id=item.get("batch_id"),
        body_key=None if item["body_key"] is None else BodyKey.parse(item["body_key"]),
        attempt=item["attempt"],
        waived_attempts=item["waived_attempts"],
        reservation=Reservation(item["hold"], item["leased"], item["relay_settles"]),
        billed=item["billed"],
        created_at=item["created_at"],
        request_id=item["request_id"],
        traceparent=item.get("traceparent"),
        started_at=item.get("started_at"),
        completed_at=item.get("completed_at"),
        expires_at=item.get("expires_at"),
        files_purged_at=item.get("files_purged_at"),
        **request,
        output=dict(with_defaults(options)) if output is None else output,
        webhook=msgspec.convert(url_and_events, RequestWebhook | None),
        announced=item.get("announced", {}),
        email_count=item.get("email_count", 0),
        email_counts=item.get("emails"),
        storage=tuple(StorageReceipt(**each) for each in item.get("storage", ())),
        upload_targets=_upload_targets(item.get("upload_targets")),
        files=files,
        **outcome | {name: tuple(outcome.get(name, ())) for name in _OUTCOME_LISTS},
    )


def _upload_targets(stored: Row | None) -> UploadTargets | None:
    if stored is None:
        return None
    return UploadTargets(**stored | {"destination_ids": tuple(stored["destination_ids"])})


def storage_attributes(render: Render) -> Row:
    """Return the attributes with the receipts of a render, or with the place of their rows."""
    if render.upload_targets is not None:
        return {"upload_targets": render.upload_targets._asdict()}
    return {"storage": receipt_items(render.storage)} if render.storage else {}


def receipt_items(receipts: Sequence[StorageReceipt]) -> list[Row]:
    """Return the receipts as the attribute `storage` has them."""
    items = [receipt._asdict() for receipt in receipts]
    for item in items:
        del item["attempts"]
    return items


def request_webhook_of(item: Row) -> RequestWebhook | None:
    """Return the webhook that the request of a row has named, without reading the rest of it."""
    stored = json.loads_own(item["request"]).get("webhook")
    return msgspec.convert(stored, RequestWebhook | None)


def history_entry(at: str | None, event: str) -> Row:
    """Return an entry of a row's `history`, which is for the operator.

    Those of attempts have the number that begins, with its invocation, or that is waived.
    """
    return {"at": at, "event": event}


def history_event(entry: Row) -> str:
    """Return what an entry of a row's `history` says, in words."""
    if "begins" in entry:
        return f"attempt {entry['begins']} claimed by {entry['by']}"
    return f"attempt {entry['waives']} waived" if "waives" in entry else str(entry["event"])


def expiry_time(render: Render) -> int:
    """Return the Unix second from which the row of a final render is absent."""
    assert render.completed_at is not None, render.id
    kept_until = parse_rfc3339(render.completed_at) + dt.timedelta(days=render.history_days)
    # Never before its files, whose retention may be longer.
    files_until = parse_rfc3339(render.expires_at or render.completed_at) + _FILES_MARGIN
    return int(max(kept_until, files_until).timestamp())


def _without_defaults(render: Render, names: Sequence[str]) -> _Fields:
    values = {name: getattr(render, name) for name in names}
    defaults = Render._field_defaults
    return {
        name: value
        for name, value in values.items()
        if name not in defaults or value != defaults[name]
    }


def _file_json(file: StoredFile, render: Render) -> _Fields:
    """Return a file without the members of its row, and without sizes that it lacks."""
    values = file._asdict()
    if file.expires_at == render.expires_at:
        del values["expires_at"]
    return {name: value for name, value in values.items() if value is not None}


def _file(stored: _Fields, item: Row) -> StoredFile:
    lacking: _Fields = dict.fromkeys(StoredFile._fields)
    fields = lacking | {"expires_at": item.get("expires_at")} | stored
    return msgspec.convert(tuple(fields[name] for name in StoredFile._fields), StoredFile)


def _file_columns(files: Sequence[StoredFile]) -> _Fields:
    """Return files field by field; `_files_of_columns` is the inverse."""
    columns = dict(zip(StoredFile._fields, zip(*files, strict=True), strict=True))
    return {name: _column(values) for name, values in columns.items()}


def _column(values: Sequence[Json]) -> _Fields:
    if all(value == values[0] for value in values):
        return {"all": values[0]}
    texts = [value for value in values if isinstance(value, str)]
    if len(texts) < len(values):
        return {"each": values}
    # What the first and the last in order begin with, all begin with.
    pairs = zip(min(texts), max(texts), strict=False)
    begin = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    return {"begin": begin, "ends": [text[len(begin) :] for text in texts]}


def _files_of_columns(columns: Mapping[str, _Fields]) -> tuple[StoredFile, ...]:
    if not columns:
        return ()
    # Each file has its own id.
    count = len(msgspec.convert(columns["id"]["ends"], list[str]))
    lacking: dict[str, Sequence[Json]] = dict.fromkeys(StoredFile._fields, [None] * count)
    values = lacking | {name: _values(column, count) for name, column in columns.items()}
    rows = zip(*(values[name] for name in StoredFile._fields), strict=True)
    return tuple(msgspec.convert(row, StoredFile) for row in rows)


def _values(column: _Fields, count: int) -> Sequence[Json]:
    if "all" in column:
        return [column["all"]] * count
    if "each" in column:
        return msgspec.convert(column["each"], list[int | str | None])
    return [f"{column['begin']}{end}" for end in msgspec.convert(column["ends"], list[str])]


def output_differences(output: JsonObject) -> JsonObject | None:
    """Return the options that differ from their defaults; None if some have been left out."""
    differences = _differences(output, _defaults())
    return differences if with_defaults(differences) == output else None


def with_defaults(differences: JsonObject) -> JsonObject:
    """Return the output that `output_differences` was given."""
    return _merge(differences, _defaults())


@cache
def _defaults() -> JsonObject:
    """Return the redacted options of a request that asks for none."""
    return redacted_options(OutputOptions())


def _differences(value: JsonObject, defaults: JsonObject) -> JsonObject:
    found: dict[str, Json] = {}
    for name, member in value.items():
        default = defaults.get(name)
        if isinstance(member, Mapping) and isinstance(default, Mapping):
            if member != default:
                found[name] = _differences(member, default)
        elif member != default or name not in defaults:
            found[name] = member
    return found


def _merge(differences: JsonObject, defaults: JsonObject) -> JsonObject:
    merged: dict[str, Json] = dict(differences)
    for name, default in defaults.items():
        difference = differences.get(name)
        if name not in differences:
            merged[name] = default
        elif isinstance(default, Mapping) and isinstance(difference, Mapping):
            merged[name] = _merge(difference, default)
    return merged
