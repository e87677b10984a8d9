"""Where renders are kept: `WS#<ws>#RND#<id>`, its facts beside it, its id in the `lists` index.

What is asked of the table stands in attributes; what is only read back stands in two JSON texts,
`request` and `outcome`.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from chalicelib.adapters.aws.due import due_shard
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write
from chalicelib.core import json
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.files.model import StoredFile
from chalicelib.features.renders.facts import Fact
from chalicelib.features.renders.model import Render, Status, sources_of
from chalicelib.features.workspaces.limits import Taken

# What a request says and only is read back; later releases may add to a row's texts.
_REQUEST: Final = (
    "input",
    "output",
    "delivery",
    "expires_in_s",
    "max_pages",
    "engine",
    "metadata",
)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A render that this attempt may run, or else as it stands."""

    render: Render
    mine: bool


class Renders:
    """The renders of all workspaces, one row each."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table

    def get(self, workspace_id: WorkspaceId, render_id: RenderId) -> Render | None:
        """Return one render of a workspace."""
        item = self._tables.get(self._table, _pk(workspace_id, render_id))
        return render_of(item) if item else None

    def get_many(self, workspace_id: WorkspaceId, render_ids: Sequence[RenderId]) -> list[Render]:
        """Return up to 100 renders of a workspace, in this order."""
        keys = [(_pk(workspace_id, render_id), "META") for render_id in render_ids]
        return [render_of(item) for item in self._tables.get_many(self._table, keys)]

    def creation(self, render: Render, due_at: str) -> Write:
        """Return the write that makes a render, due for a look at `due_at`."""
        return Write(
            self._table,
            item=row_of(render) | {"DPK": due_shard(render.id), "due_at": due_at},
            condition="attribute_not_exists(PK)",
        )

    def claim(
        self,
        workspace_id: WorkspaceId,
        render_id: RenderId,
        *,
        attempt: int,
        claimed_by: str,
        at: str,
        due_at: str,
    ) -> Claimed | None:
        """Take attempt number `attempt` of an unfinished render; None where there is no render.

        Repeatable by `claimed_by`, the one invocation that asks.
        """
        write = Write(
            self._table,
            key={"PK": _pk(workspace_id, render_id), "SK": "META"},
            update="SET #status = :processing, attempt = :attempt, claimed_by = :by, "
            "started_at = :at, due_at = :due_at",
            condition="attribute_exists(PK) AND attempt < :attempt AND #status IN (:from0, :from1)",
            names={"#status": "status"},
            values={
                ":processing": "processing",
                ":attempt": attempt,
                ":by": claimed_by,
                ":at": at,
                ":due_at": due_at,
                **_sources("processing"),
            },
        )
        try:
            item = self._tables.write(write)
        except ConditionFailed as lost:
            if lost.item is None:
                return None
            mine = lost.item.get("claimed_by") == claimed_by and not render_of(lost.item).is_final
            return Claimed(render_of(lost.item), mine)
        assert item is not None
        return Claimed(render_of(item), mine=True)

    def finish(self, render: Render) -> Write:
        """Return the write of a final state, by the attempt that claimed the render."""
        return Write(
            self._table,
            key={"PK": _pk(render.workspace_id, render.id), "SK": "META"},
            update="SET #status = :status, outcome = :outcome, billed = :billed, "
            "completed_at = :completed_at, expires_at = :expires_at REMOVE due_at, DPK",
            condition="attempt = :attempt AND #status = :processing AND body_key = :body_key",
            names={"#status": "status"},
            values={
                ":status": render.status,
                ":outcome": _outcome(render),
                ":billed": render.billed,
                ":completed_at": render.completed_at,
                ":expires_at": render.expires_at,
                ":attempt": render.attempt,
                ":processing": "processing",
                ":body_key": render.body_key,
            },
        )

    def ending(self, render: Render) -> Write:
        """Return the write that ends an unfinished render from outside, whatever its attempt."""
        return Write(
            self._table,
            key={"PK": _pk(render.workspace_id, render.id), "SK": "META"},
            update="SET #status = :status, outcome = :outcome, completed_at = :at "
            "REMOVE due_at, DPK",
            condition="attribute_exists(PK) AND #status IN (:from0, :from1)",
            names={"#status": "status"},
            values={
                ":status": render.status,
                ":outcome": _outcome(render),
                ":at": render.completed_at,
                **_sources(render.status),
            },
        )

    def body_kept(self, render: Render, body_key: str) -> Write:
        """Return the write that tells an unfinished render, on this attempt, its body's place."""
        return Write(
            self._table,
            key={"PK": _pk(render.workspace_id, render.id), "SK": "META"},
            update="SET body_key = :key",
            condition="attempt = :attempt AND #status IN (:queued, :processing)",
            names={"#status": "status"},
            values={
                ":key": body_key,
                ":attempt": render.attempt,
                ":queued": "queued",
                ":processing": "processing",
            },
        )

    def fact(self, render: Render, fact: Fact) -> Write:
        """Return the write of a fact about a render, due to be told again at `fact.due_at`."""
        item = asdict(fact) | {
            "PK": _pk(render.workspace_id, render.id),
            "SK": f"FACT#{fact.id}",
            "DPK": due_shard(fact.id),
        }
        return Write(self._table, item=item)


def lists_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of the `lists` index that a workspace's renders stand in."""
    return f"WS#{workspace_id}#RND"


def _pk(workspace_id: WorkspaceId, render_id: RenderId) -> str:
    return f"WS#{workspace_id}#RND#{render_id}"


def _sources(status: Status) -> dict[str, str]:
    before = sources_of(status)
    assert len(before) == 2, before  # noqa: PLR2004 -- as many as the conditions name
    return {f":from{n}": source for n, source in enumerate(before)}


def row_of(render: Render) -> Item:
    """Write a row; `render_of` reads it back."""
    return {
        "PK": _pk(render.workspace_id, render.id),
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
        "hold": render.taken.hold,
        "leased": render.taken.leased,
        "billed": render.billed,
        "created_at": render.created_at,
        "started_at": render.started_at,
        "completed_at": render.completed_at,
        "expires_at": render.expires_at,
        "request": json.dumps({name: getattr(render, name) for name in _REQUEST}),
        "outcome": _outcome(render),
    }


def _outcome(render: Render) -> str:
    outcome: dict[str, Any] = {
        "files": [asdict(file) for file in render.files],
        "warnings": render.warnings,
        "error": render.error,
        "timings": render.timings,
        "logs": render.logs,
    }
    # What a page writes to its console need not be Unicode.
    return json.dumps(outcome).encode(errors="replace").decode()


def render_of(item: Item) -> Render:
    """Read a row."""
    request, outcome = json.read_back(item["request"]), json.read_back(item["outcome"])
    return Render(
        id=RenderId(item["id"]),
        workspace_id=WorkspaceId(item["workspace_id"]),
        status=item["status"],
        mode=item["mode"],
        test=item["test"],
        reference=item["reference"],
        body_key=item["body_key"],
        attempt=item["attempt"],
        taken=Taken(item["hold"], item["leased"]),
        billed=item["billed"],
        created_at=item["created_at"],
        started_at=item.get("started_at"),
        completed_at=item.get("completed_at"),
        expires_at=item.get("expires_at"),
        **{name: request[name] for name in _REQUEST},
        files=tuple(_file(file) for file in outcome["files"]),
        warnings=tuple(outcome["warnings"]),
        error=outcome["error"],
        timings=outcome["timings"],
        logs=tuple(outcome["logs"]),
    )


def _file(kept: dict[str, Any]) -> StoredFile:
    return StoredFile(**{name: kept[name] for name in StoredFile.__dataclass_fields__})
