"""Invariants of a workspace with one request, however often its functions were killed."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.renders.idempotency.model import IdempotencyKey
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.crash.cases import CANCELED, CrashCase
from tests.builders.stack.stores import PAST, Stores

_PURGE_EVENTS: Final = {"expires": "render.expired", "purges": "render.purged"}
_NO_CAPACITY: Final = "region_degraded"


def broken_invariants(case: CrashCase, stores: Stores, workspace: str, key: str) -> list[str]:
    """Return the first broken invariant, if any; the limits item may still be due."""
    partitions = [
        stores.partition(f"WS#{workspace}#RND#{render}") for render in stores.renders(workspace)
    ]
    renders = [row for rows in partitions for row in rows if row["SK"] == "META"]
    found = chain(
        _single_render(case, renders, stores, workspace, key),
        *(_events(case, rows) for rows in partitions),
        *(_due(case, rows, stores) for rows in partitions),
        _limits(case, renders, stores, workspace),
        _statistics(renders, stores, workspace),
        _objects(case, renders, stores, workspace),
    )
    return list(islice(found, 1))


def leftovers(stores: Stores, workspace: str) -> list[str]:
    """Return the messages of a stack, and the objects and due items that a workspace has left."""
    rows = list(stores.scan(stores.main_table, naming=workspace))
    files = [row for row in rows if row["PK"].startswith("FILE#")]
    kept = [row["key"] for row in files if "purged_at" not in row and row["expires_at"] != PAST]
    found = [key for key in stores.keys("") if workspace in key]
    due = [row for row in rows if "due_at" in row]
    return [
        *(f"messages in {queue}" for queue in stores.message_counts()),
        *sorted({*found} ^ {*kept}),
        *(f"{row['PK']} is due" for row in due if row["due_at"] != row.get("expires_at")),
    ]


def _single_render(
    case: CrashCase, renders: list[Row], stores: Stores, workspace: str, key: str
) -> Iterator[str]:
    """Yield unless one render has the key; a refusal for lack of capacity leaves another one."""
    refused = [render for render in renders if _error_code(render) == _NO_CAPACITY]
    if len(refused) != (1 if case.caller_action == "is refused" else 0):
        yield f"{len(refused)} refused"
    others = [render for render in renders if render not in refused]
    if len(others) != 1:
        yield f"{len(others)} renders"
        return
    (render,) = others
    succeeds = case.expected_end == "succeeded"
    without_error = {"succeeded", CANCELED}
    if render["status"] != (case.expected_end if case.expected_end in without_error else "failed"):
        yield f"it is {render['status']}"
    if _error_code(render) != (None if case.expected_end in without_error else case.expected_end):
        yield f"its error is {_error_code(render)}"
    if render["billed"] is not succeeds:
        yield f"billed: {render['billed']}"
    route = f"POST /v1{case.path}"
    at = IdempotencyKey(WorkspaceId(workspace), "live", route, key, "").partition
    record = stores.transient_table.get(at)
    if record is None or record["render_id"] != render["id"]:
        yield f"the idempotency key stands for {record}"


def _objects(case: CrashCase, renders: list[Row], stores: Stores, workspace: str) -> Iterator[str]:
    named = [file for render in renders for file in _outcome(render).get("files", [])]
    purged = case.caller_action in _PURGE_EVENTS
    if len(named) != (len(case.formats) if case.expected_end == "succeeded" else 0):
        yield f"{len(named)} files"
    if any(
        bool(render["files_purged_at"]) is not (case.caller_action == "purges")
        for render in renders
    ):
        yield "purged" if not purged else "not purged"
    found = [*stores.keys(f"ws/{workspace}/"), *stores.keys(f"tmp/ws/{workspace}/")]
    if sorted(found) != ([] if purged else sorted(file["key"] for file in named)):
        yield f"objects {found}"
        return
    for file in named:
        record = stores.partition(f"FILE#{file['id']}")
        if [row["sha256"] for row in record] != [file["sha256"]]:
            yield f"file records {record}"
        if not purged and _sha256(stores.content(file["key"])) != file["sha256"]:
            yield "the object is another than the record says"


def _limits(case: CrashCase, renders: list[Row], stores: Stores, workspace: str) -> Iterator[str]:
    item = stores.limits_with_rows(workspace)
    billed = sum(render["billed"] for render in renders)
    if item["holds"] or item["leases"]:
        yield f"holds {item['holds']}, leases {item['leases']}"
    if item["used"] != billed:
        yield f"used {item['used']}, billed {billed}"
    if item["quota_left"] != PLANS[case.plan].included_renders - billed:
        yield f"{item['quota_left']} left"


def _statistics(renders: list[Row], stores: Stores, workspace: str) -> Iterator[str]:
    counted: Counter[str] = Counter()
    for month in {render["created_at"][:7] for render in renders}:
        for row in stores.partition(f"WS#{workspace}#USE#{month}"):
            totals = {name: n for name, n in row.items() if isinstance(n, int)}
            counted.update({name: n for name, n in totals.items() if "#" not in name})
    recount = Counter(f"live_{render['status']}" for render in renders)
    recount["billed"] = sum(render["billed"] for render in renders)
    if +counted != +recount:
        yield f"counted {dict(counted)}"


def _events(case: CrashCase, rows: list[Row]) -> Iterator[str]:
    events = [row for row in rows if row["SK"] != "META"]
    types = [f"render.{row['status']}" for row in rows if row["SK"] == "META"]
    types += [_PURGE_EVENTS[case.caller_action]] if case.caller_action in _PURGE_EVENTS else []
    if sorted(event["type"] for event in events) != sorted(types):
        yield f"events {[event['type'] for event in events]}"
    for event in events:
        if "published_at" not in event or event.keys() & {"due_at", "DPK", "given_up_at"}:
            yield f"{event['type']} is not published"


def _due(case: CrashCase, rows: list[Row], stores: Stores) -> Iterator[str]:
    yield from (f"{row['SK']} is due at {row['due_at']}" for row in rows if "due_at" in row)
    for render in (row for row in rows if row["SK"] == "META"):
        ends = [] if case.caller_action in _PURGE_EVENTS else [render.get("expires_at")]
        files = _outcome(render).get("files", [])
        records = [row for file in files for row in stores.partition(f"FILE#{file['id']}")]
        # The first record is due for all files.
        if [row["due_at"] for row in records if "due_at" in row] != ends[: len(files)]:
            yield f"files are due {[row.get('due_at') for row in records]}, not {ends}"


def _outcome(render: Row) -> dict[str, Any]:
    outcome: dict[str, Any] = json.loads(render["outcome"])
    return outcome


def _error_code(render: Row) -> str | None:
    error = _outcome(render).get("error")
    return error["code"] if error else None


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
