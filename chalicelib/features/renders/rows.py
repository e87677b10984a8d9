"""Rows of renders: `WS#<ws>#RND#<id>`, listed by id in the `lists` index.

Values used in conditions, filters and indexes are attributes. All others are in two JSON texts,
`request` and `outcome` (decision 4).
"""

from typing import Any, Final

from chalicelib.adapters.aws.table import Item
from chalicelib.core import json
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.model import Render
from chalicelib.features.workspaces.limits.model import Reservation

# A field added later needs a default in Render: rows of earlier releases lack it.
_REQUEST_FIELDS: Final = (
    "input",
    "output",
    "delivery",
    "expires_in_s",
    "max_pages",
    "engine",
    "metadata",
    "priority",
    "source",
    "hosted",
    "zero_retention",
    "retention_days",
    "template_version",
)


def lists_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of the `lists` index that holds a workspace's renders."""
    return f"WS#{workspace_id}#RND"


def partition(workspace_id: WorkspaceId, render_id: RenderId) -> str:
    """Return the partition of a render and its events."""
    return f"WS#{workspace_id}#RND#{render_id}"


def row_of(render: Render) -> Item:
    """Return the row of a render; `render_of` is the inverse."""
    return {
        "PK": partition(render.workspace_id, render.id),
        "SK": "META",
        "LPK": lists_partition(render.workspace_id),
        "LSK": render.id,
        "id": render.id,
        "workspace_id": render.workspace_id,
        "status": render.status,
        "mode": render.mode,
        "test": render.test,
        "reference": render.reference,
        "template_id": render.template_id,
        "batch_id": render.batch_id,
        "body_key": render.body_key,
        "attempt": render.attempt,
        "waived_attempts": render.waived_attempts,
        "hold": render.reservation.hold,
        "leased": render.reservation.has_lease,
        "billed": render.billed,
        "created_at": render.created_at,
        "request_id": render.request_id,
        "started_at": render.started_at,
        "completed_at": render.completed_at,
        "expires_at": render.expires_at,
        "files_purged_at": render.files_purged_at,
        "request": request_json(render),
        "outcome": outcome_json(render),
    }


def request_json(render: Render) -> str:
    """Return the JSON text `request`, which never changes."""
    return json.dumps({name: getattr(render, name) for name in _REQUEST_FIELDS})


def outcome_json(render: Render) -> str:
    """Return the JSON text `outcome`, which is written with the final state."""
    outcome: dict[str, Any] = {
        "files": [file._asdict() for file in render.files],
        "warnings": render.warnings,
        "error": render.error,
        "timings": render.timings,
        "logs": render.logs,
        "explain": render.explain,
        "result": render.result,
        "invoice": render.invoice,
    }
    # Console output of a page may contain lone surrogates, which UTF-8 cannot encode.
    return json.dumps(outcome).encode(errors="replace").decode()


def render_of(item: Item) -> Render:
    """Return the render of a row."""
    request, outcome = json.loads_own(item["request"]), json.loads_own(item["outcome"])
    return Render(
        id=RenderId(item["id"]),
        workspace_id=WorkspaceId(item["workspace_id"]),
        status=item["status"],
        mode=item["mode"],
        test=item["test"],
        reference=item["reference"],
        template_id=item["template_id"],
        batch_id=item["batch_id"],
        body_key=item["body_key"],
        attempt=item["attempt"],
        waived_attempts=item["waived_attempts"],
        reservation=Reservation(item["hold"], item["leased"]),
        billed=item["billed"],
        created_at=item["created_at"],
        request_id=item["request_id"],
        started_at=item.get("started_at"),
        completed_at=item.get("completed_at"),
        expires_at=item.get("expires_at"),
        files_purged_at=item.get("files_purged_at"),
        **{name: request[name] for name in _REQUEST_FIELDS if name in request},
        files=tuple(_file(file) for file in outcome["files"]),
        warnings=tuple(outcome["warnings"]),
        error=outcome["error"],
        timings=outcome["timings"],
        logs=tuple(outcome["logs"]),
        explain=outcome["explain"],
        result=outcome.get("result"),
        invoice=outcome.get("invoice"),
    )


def _file(stored: dict[str, Any]) -> StoredFile:
    return StoredFile(**{name: stored[name] for name in StoredFile._fields})
