"""Functions killed over uploads, templates and workspaces: no leftovers, no repeated events."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint as P
from chalicelib.core.ids import sha256_hex
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.crash.webhooks import FIRST_WEBHOOK_POINT
from tests.builders.crash.workspace import FIRST_POINT, LARGE_HTML, CrashWorkspace
from tests.builders.stack.stores import PAST

HTML = b"<p>Hi"
UPLOADS = (P.UPLOAD_COPIED, P.UPLOAD_READY)
PURGES = (P.TEMPLATE_PURGING, P.TEMPLATE_ERASED)
DELETIONS = (
    P.WORKSPACE_KEYS_ERASED,
    P.WORKSPACE_ERASED,
    P.WORKSPACE_LIMITS_ERASED,
    P.WORKSPACE_RELEASED,
)
ANSWERS = (P.ANSWER_CLAIMED, P.ANSWER_MADE, P.ANSWER_KEPT)
THRESHOLDS = (P.THRESHOLD_WRITTEN, P.THRESHOLD_EVENT_SENT, P.THRESHOLD_SAVED)
CROSSINGS = (
    (P.LIMITS_SETTLED, "sync"),
    (P.LIMITS_DUE, "sync"),
    (P.THRESHOLD_REPORTED, "sync"),
    (P.LIMITS_FOLDED, "async"),
    (P.LIMITS_DUE, "async"),
    (P.LIMITS_CLEARED, "async"),
)
RENDER: dict[str, Any] = {"input": {"type": "html", "html": "<p>Hi"}}


def _create(_path: str) -> tuple[str, str, dict[str, Any]]:
    return "POST", "/templates", {"name": "T", "html": LARGE_HTML}


def _create_published(path: str) -> tuple[str, str, dict[str, Any]]:
    method, path, body = _create(path)
    return method, path, body | {"publish": True}


def _put(path: str) -> tuple[str, str, dict[str, Any]]:
    return "PUT", f"{path}/draft", {"html": LARGE_HTML + "2"}


def _publish(path: str) -> tuple[str, str, dict[str, Any]]:
    return "POST", f"{path}/publish", {"note": "again"}


def _add(path: str) -> tuple[str, str, dict[str, Any]]:
    return "POST", f"{path}/datasets", {"name": "D", "data": {"text": LARGE_HTML}}


TEMPLATES: list[tuple[P, Callable[[str], tuple[str, str, dict[str, Any]]]]] = [
    (P.TEMPLATE_ANNOUNCED, _create),
    (P.TEMPLATE_ANNOUNCED, _put),
    (P.TEMPLATE_STORED, _create_published),
    (P.TEMPLATE_STORED, _add),
    (P.TEMPLATE_WRITTEN, _create_published),
    (P.TEMPLATE_WRITTEN, _put),
    (P.TEMPLATE_WRITTEN, _publish),
    (P.TEMPLATE_WRITTEN, _add),
    (P.TEMPLATE_EVENT_SENT, _publish),
]


@pytest.fixture
def crash(stack: ServiceStack) -> CrashWorkspace:
    return CrashWorkspace(stack)


def test_every_crash_point_of_other_resources_is_covered() -> None:
    killed = {*UPLOADS, *PURGES, *DELETIONS, *THRESHOLDS, *(point for point, _ in TEMPLATES)}

    killed |= {
        P.UPLOAD_COUNTED,
        P.UPLOAD_STORED,
        P.KEY_WARNED,
        P.LEASE_TAKEN,
        P.WORKSPACE_POSTPONED,
    }
    killed |= {point for point, _ in CROSSINGS} | {*ANSWERS}
    killed |= {P.LIMITS_RECOUNTED, P.LIMITS_CONFIRMED, P.LIMITS_RELEASED}
    # test_webhooks.py kills over webhooks.
    assert killed == {point for point in P if FIRST_POINT <= point < FIRST_WEBHOOK_POINT}


@pytest.mark.parametrize("point", [P.UPLOAD_COUNTED, P.UPLOAD_STORED])
def test_upload_can_be_repeated_after_its_function_died(crash: CrashWorkspace, point: P) -> None:
    sent: dict[str, Any] = {"files": {"file": ("a.html", HTML, "text/html")}}
    crash.call_killed(point, "POST", "/uploads", **sent)

    upload = crash.call("POST", "/uploads", **sent)

    assert crash.call("GET", f"/uploads/{upload['id']}")["status"] == "ready"
    assert crash.objects() == []


@pytest.mark.parametrize("point", ANSWERS, ids=lambda point: point.name)
def test_repeat_with_the_same_key_makes_one_template(
    crash: CrashWorkspace, stack: ServiceStack, point: P
) -> None:
    sent: dict[str, Any] = {
        "headers": {"Idempotency-Key": "k"},
        "json": {"name": "T", "html": LARGE_HTML, "publish": True},
    }
    crash.call_killed(point, "POST", "/templates", **sent)
    stack.service.clock.advance(seconds=31)

    made = crash.call("POST", "/templates", **sent)

    assert [each["id"] for each in crash.call("GET", "/templates")["data"]] == [made["id"]]
    crash.settle(lambda: list(crash.template_faults()))


@pytest.mark.parametrize("point", ANSWERS, ids=lambda point: point.name)
def test_repeat_with_the_same_key_makes_one_endpoint(
    crash: CrashWorkspace, stack: ServiceStack, point: P
) -> None:
    sent: dict[str, Any] = {
        "headers": {"Idempotency-Key": "k"},
        "json": {"url": "https://example.com/", "events": ["render.succeeded"]},
    }
    crash.call_killed(point, "POST", "/webhook-endpoints", **sent)
    stack.service.clock.advance(seconds=31)

    made = crash.call("POST", "/webhook-endpoints", **sent)

    listed = crash.call("GET", "/webhook-endpoints")["data"]
    assert [each["id"] for each in listed] == [made["id"]]
    again = crash.call("POST", "/webhook-endpoints", **sent)
    assert (again["id"], again["secret"]) == (made["id"], made["secret"])


@pytest.mark.parametrize("point", UPLOADS, ids=lambda point: point.name)
def test_announced_upload_becomes_ready_at_the_next_request(
    crash: CrashWorkspace, point: P
) -> None:
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": len(HTML)}
    upload = crash.call("POST", "/uploads", json=announced)["id"]
    crash.stores.put(f"tmp/uploads/{crash.workspace}/{upload}.arriving", HTML)
    crash.call_killed(point, "GET", f"/uploads/{upload}")

    shown = crash.call("GET", f"/uploads/{upload}")

    assert (shown["status"], shown["bytes"]) == ("ready", len(HTML))
    assert shown["sha256"] == sha256_hex(HTML)
    source = {"type": "html", "upload_id": upload}
    assert crash.call("POST", "/renders", json={"input": source})["status"] == "succeeded"


@pytest.mark.parametrize(
    ("point", "change"), TEMPLATES, ids=lambda of: getattr(of, "name", getattr(of, "__name__", ""))
)
def test_template_is_complete_and_each_version_has_one_event(
    crash: CrashWorkspace, point: P, change: Callable[[str], tuple[str, str, dict[str, Any]]]
) -> None:
    made = crash.call("POST", "/templates", json={"name": "T", "html": LARGE_HTML, "publish": True})
    path = f"/templates/{made['id']}"
    method, where, body = change(path)
    crash.call_killed(point, method, where, json=body)
    assert crash.call("GET", f"{path}/versions/1")["content"]["html"] == LARGE_HTML

    crash.call(method, where, json=body)

    crash.settle(lambda: list(crash.template_faults()))
    source = {"type": "template", "template_id": made["id"]}
    assert crash.call("POST", "/renders", json={"input": source})["status"] == "succeeded"


@pytest.mark.parametrize("point", PURGES, ids=lambda point: point.name)
def test_interrupted_template_purge_is_finished(crash: CrashWorkspace, point: P) -> None:
    body = {"name": "T", "html": LARGE_HTML, "publish": True}
    template = crash.call("POST", "/templates", json=body)["id"]
    crash.call("PUT", f"/templates/{template}/draft", json={"html": LARGE_HTML + "2"})
    crash.settle(lambda: list(crash.template_faults()))
    crash.call("DELETE", f"/templates/{template}")
    (meta,) = (row for row in crash.rows() if row.get("deleted_at"))
    crash.stores.replace(meta, {"deleted_at": PAST, "due_at": PAST})

    def left() -> list[str]:
        return [row["SK"] for row in crash.rows() if "#TPL#" in row["PK"]] + crash.objects()

    crash.settle(left, point)


@pytest.mark.parametrize("point", DELETIONS, ids=lambda point: point.name)
def test_interrupted_workspace_deletion_is_finished(crash: CrashWorkspace, point: P) -> None:
    crash.call("POST", "/templates", json={"name": "T", "html": LARGE_HTML, "publish": True})
    render = {"input": {"type": "html", "html": "<p>Hi"}}
    assert crash.call("POST", "/renders", json=render)["status"] == "succeeded"
    crash.stack.operator.change_status.delete(crash.workspace)
    (row,) = (row for row in crash.rows() if row.get("delete_at"))
    crash.stores.replace(row, {"delete_at": PAST, "due_at": PAST})

    crash.settle(lambda: [row["PK"] for row in crash.rows()] + crash.objects(), point)


def test_deletion_goes_on_although_its_message_was_not_sent(crash: CrashWorkspace) -> None:
    crash.stack.operator.change_status.delete(crash.workspace)
    (row,) = (row for row in crash.rows() if row.get("delete_at"))
    now = format_rfc3339(crash.stack.now())
    crash.stores.replace(row, {"delete_at": now, "due_at": PAST})

    def is_unborn() -> list[str]:
        (row,) = (row for row in crash.rows() if row.get("delete_at"))
        return [] if row["status"] == "deleting" else [row["status"]]

    crash.settle(is_unborn, P.WORKSPACE_POSTPONED)
    (row,) = (row for row in crash.rows() if row.get("delete_at"))
    crash.stores.replace(row, {"delete_at": PAST})

    crash.settle(lambda: [row["PK"] for row in crash.rows()])


@pytest.mark.parametrize(("point", "mode"), CROSSINGS, ids=str)
def test_render_that_reaches_a_threshold_is_settled_and_reported_once(
    crash: CrashWorkspace, point: P, mode: str
) -> None:
    item = crash.stores.limits(crash.workspace)
    half = item["quota_left"] // 2
    crash.stores.replace(item, {"used": half - 1, "quota_left": half + 1})
    armed = crash.arm(point)

    render = crash.call("POST", "/renders", json=RENDER | {"mode": mode})
    # Before time passes: reconciliation would fold before the relay.
    crash.await_kill(armed)

    def unmet() -> list[str]:
        status = crash.call("GET", f"/renders/{render['id']}")["status"]
        events = [row for row in crash.rows() if "#RND#" not in row["PK"] and "detail" in row]
        percents = [
            each["detail"]["threshold_percent"] for each in events if "published_at" in each
        ]
        limits = crash.stores.limits_with_rows(crash.workspace)
        state = (status, percents, len(events), limits["used"], limits["quota_left"])
        is_settled = not (limits["holds"] or limits["leases"])
        is_right = state == ("succeeded", [50], 1, half, half)
        return [] if is_settled and is_right else [f"{state} {limits}"]

    crash.settle(unmet)


def test_admission_that_recounted_can_be_repeated(crash: CrashWorkspace) -> None:
    item = crash.stores.limits(crash.workspace)
    crash.stores.replace(item, {"quota_left": 0})
    # A render was given back, and nobody has folded that into the item yet.
    ended = {"PK": item["PK"], "SK": f"ENDED#{item['cycle_end']}#0", "used": 0, "returned": 1}
    crash.stores.main_table.write(Write(crash.stores.main_table, item=ended))
    crash.call_killed(P.LIMITS_RECOUNTED, "POST", "/renders", json=RENDER)

    assert crash.call("POST", "/renders", json=RENDER)["status"] == "succeeded"

    limits = crash.stores.limits(crash.workspace)
    assert (limits["quota_left"], limits["holds"], limits["leases"]) == (0, {}, {})
    assert crash.http.post("/renders", json=RENDER).json()["code"] == "render_limit_reached"


@pytest.mark.parametrize("point", [P.LIMITS_CONFIRMED, P.LIMITS_RELEASED], ids=lambda of: of.name)
def test_entries_of_renders_that_hold_by_themselves_go(
    crash: CrashWorkspace, stack: ServiceStack, point: P
) -> None:
    ids = [crash.call("POST", "/renders", json=RENDER | {"mode": "async"})["id"] for _ in range(9)]
    until_final = [f"/renders/{render}" for render in ids]
    crash.settle(
        lambda: [path for path in until_final if crash.call("GET", path)["status"] != "succeeded"]
    )
    item = crash.stores.limits(crash.workspace)
    # As if no process had known that their rows were written; the ids are old enough by then.
    entries = dict.fromkeys(ids, item["cycle_end"])
    stack.service.clock.advance(seconds=6)
    crash.stores.replace(item, {"holds": entries})
    if point is P.LIMITS_CONFIRMED:
        crash.call_killed(point, "POST", "/renders", json=RENDER | {"mode": "async"})
        ids.append("killed")
    assert crash.call("POST", "/renders", json=RENDER)["status"] == "succeeded"

    def unmet() -> list[str]:
        limits = crash.stores.limits(crash.workspace)
        left = [*limits["holds"], *limits["leases"]]
        return left if limits["used"] == len(ids) + 1 else [f"used {limits['used']}"]

    crash.settle(unmet, point if point is P.LIMITS_RELEASED else None)


@pytest.mark.parametrize("point", THRESHOLDS, ids=lambda point: point.name)
def test_threshold_event_is_published_once(crash: CrashWorkspace, point: P) -> None:
    crash.stack.operator.change_workspace(
        crash.workspace, WorkspaceChanges(spend_cap_cents=100_000)
    )
    half = crash.stores.limits(crash.workspace)["quota_left"] // 2
    item = crash.stores.limits(crash.workspace)
    crash.stores.replace(item, {"used": half, "quota_left": half})

    def unmet() -> list[str]:
        events = [row for row in crash.rows() if row["SK"].startswith("EVENT#")]
        published = [e["detail"]["threshold_percent"] for e in events if "published_at" in e]
        due = [row["PK"] for row in crash.rows() if "due_at" in row]
        return due if published == [50] and len(events) == 1 else [str(events)]

    crash.settle(unmet, point)


def test_expiring_key_is_warned_about_and_waits_for_the_next_warning(
    crash: CrashWorkspace,
) -> None:
    now = crash.stack.now()
    keys = crash.stack.operator.manage_keys
    made = keys.create(crash.workspace, mode="live", expires_at=now + dt.timedelta(days=20))
    (row,) = crash.stores.partition(f"KEY#{made.key.id}")
    soon = format_rfc3339(now + dt.timedelta(days=13))
    crash.stores.replace(row, {"expires_at": soon, "due_at": PAST})

    def unmet() -> list[str]:
        (row,) = crash.stores.partition(f"KEY#{made.key.id}")
        return [] if row.get("warned_days") == 14 else [str(row)]

    crash.settle(unmet, P.KEY_WARNED)


def test_concurrency_lease_of_a_dead_function_is_released(crash: CrashWorkspace) -> None:
    body = {"input": {"type": "html", "html": "<p>{{ n }}", "templating": True}}
    crash.call_killed(P.LEASE_TAKEN, "POST", "/renders/preflight", json=body)
    assert len(crash.stores.limits(crash.workspace)["leases"]) == 1

    def unmet() -> list[str]:
        limits = crash.stores.limits(crash.workspace)
        return [*limits["leases"], *limits["holds"], *(["due"] if "due_at" in limits else [])]

    crash.settle(unmet)
    assert crash.call("POST", "/renders/preflight", json=body)["ok"] is True
