"""Functions killed over uploads, templates and workspaces: nothing is left behind or told twice."""

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint as P
from chalicelib.features.workspaces.change import WorkspaceChanges
from infra.local.running_stack import RunningStack
from tests.builders.crash.workspace import FIRST_POINT, LARGE_HTML, CrashWorkspace
from tests.builders.stack.stores import PAST

pytestmark = pytest.mark.integration

HTML = b"<p>Hi"
UPLOADS = (P.UPLOAD_COPIED, P.UPLOAD_READY)
PURGES = (P.TEMPLATE_PURGING, P.TEMPLATE_ERASED)
DELETIONS = (
    P.WORKSPACE_KEYS_ERASED,
    P.WORKSPACE_ERASED,
    P.WORKSPACE_LIMITS_ERASED,
    P.WORKSPACE_RELEASED,
)
THRESHOLDS = (P.THRESHOLD_WRITTEN, P.THRESHOLD_EVENT_SENT)


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
def ground(
    stack: RunningStack, points: Path, request: pytest.FixtureRequest
) -> Iterator[CrashWorkspace]:
    made = CrashWorkspace(stack, points, request.node.name)
    with made.tenant:
        yield made


def test_every_crash_point_of_things_kills() -> None:
    killed = {*UPLOADS, *PURGES, *DELETIONS, *THRESHOLDS, *(point for point, _ in TEMPLATES)}

    killed |= {P.UPLOAD_STORED, P.KEY_WARNED, P.LEASE_TAKEN}
    assert killed == {point for point in P if point >= FIRST_POINT}


def test_upload_whose_function_died_is_sent_again(ground: CrashWorkspace) -> None:
    sent: dict[str, Any] = {"files": {"file": ("a.html", HTML, "text/html")}}
    ground.call_killed(P.UPLOAD_STORED, "POST", "/uploads", **sent)

    upload = ground.call("POST", "/uploads", **sent)

    assert ground.call("GET", f"/uploads/{upload['id']}")["status"] == "ready"
    assert ground.objects() == []


@pytest.mark.parametrize("point", UPLOADS, ids=lambda point: point.name)
def test_announced_upload_is_taken_in_by_whoever_comes_next(
    ground: CrashWorkspace, point: P
) -> None:
    said = {"filename": "a.html", "content_type": "text/html", "bytes": len(HTML)}
    upload = ground.call("POST", "/uploads", json=said)["id"]
    ground.stores.put(f"tmp/uploads/{ground.workspace}/{upload}.arriving", HTML)
    ground.call_killed(point, "GET", f"/uploads/{upload}")

    shown = ground.call("GET", f"/uploads/{upload}")

    assert (shown["status"], shown["bytes"]) == ("ready", len(HTML))
    wanted = {"type": "html", "upload_id": upload}
    assert ground.call("POST", "/renders", json={"input": wanted})["status"] == "succeeded"


@pytest.mark.parametrize(
    ("point", "change"), TEMPLATES, ids=lambda of: getattr(of, "name", getattr(of, "__name__", ""))
)
def test_template_is_whole_and_its_versions_are_told_once(
    ground: CrashWorkspace, point: P, change: Callable[[str], tuple[str, str, dict[str, Any]]]
) -> None:
    made = ground.call(
        "POST", "/templates", json={"name": "T", "html": LARGE_HTML, "publish": True}
    )
    path = f"/templates/{made['id']}"
    method, where, body = change(path)
    ground.call_killed(point, method, where, json=body)
    assert ground.call("GET", f"{path}/versions/1")["html"] == LARGE_HTML

    ground.call(method, where, json=body)

    ground.settle(lambda: list(ground.template_faults()))
    wanted = {"type": "template", "template_id": made["id"]}
    assert ground.call("POST", "/renders", json={"input": wanted})["status"] == "succeeded"


@pytest.mark.parametrize("point", PURGES, ids=lambda point: point.name)
def test_purge_is_finished(ground: CrashWorkspace, point: P) -> None:
    body = {"name": "T", "html": LARGE_HTML, "publish": True}
    template = ground.call("POST", "/templates", json=body)["id"]
    ground.call("PUT", f"/templates/{template}/draft", json={"html": LARGE_HTML + "2"})
    ground.settle(lambda: list(ground.template_faults()))
    ground.call("DELETE", f"/templates/{template}")
    (meta,) = (row for row in ground.rows() if row.get("deleted_at"))
    ground.stores.replace(meta, {"deleted_at": PAST})

    def left() -> list[str]:
        return [row["SK"] for row in ground.rows() if "#TPL#" in row["PK"]] + ground.objects()

    ground.settle(left, point)


@pytest.mark.parametrize("point", DELETIONS, ids=lambda point: point.name)
def test_deletion_of_a_workspace_is_finished(ground: CrashWorkspace, point: P) -> None:
    ground.call("POST", "/templates", json={"name": "T", "html": LARGE_HTML, "publish": True})
    render = {"input": {"type": "html", "html": "<p>Hi"}}
    assert ground.call("POST", "/renders", json=render)["status"] == "succeeded"
    ground.tenants.operator.change_status.delete(ground.workspace)
    (row,) = (row for row in ground.rows() if row.get("delete_at"))
    ground.stores.replace(row, {"delete_at": PAST, "due_at": PAST})

    ground.settle(lambda: [row["PK"] for row in ground.rows()] + ground.objects(), point)


@pytest.mark.parametrize("point", THRESHOLDS, ids=lambda point: point.name)
def test_threshold_is_told_once(ground: CrashWorkspace, point: P) -> None:
    ground.tenants.operator.change_workspace(
        ground.workspace, WorkspaceChanges(spend_cap_cents=100_000)
    )
    half = ground.stores.limits(ground.workspace)["quota_left"] // 2
    item = ground.stores.limits(ground.workspace)
    ground.stores.replace(item, {"used": half, "quota_left": half})

    def unmet() -> list[str]:
        facts = [row for row in ground.rows() if row["SK"].startswith("EVENT#")]
        told = [fact["detail"]["threshold_percent"] for fact in facts if "published_at" in fact]
        due = [row["PK"] for row in ground.rows() if "due_at" in row]
        return due if told == [50] and len(facts) == 1 else [str(facts)]

    ground.settle(unmet, point)


def test_key_that_expires_is_warned_of_and_waits_for_the_next_warning(
    ground: CrashWorkspace,
) -> None:
    now = dt.datetime.now(dt.UTC)
    keys = ground.tenants.operator.manage_keys
    made = keys.create(ground.workspace, mode="live", expires_at=now + dt.timedelta(days=20))
    (row,) = ground.stores.partition(f"KEY#{made.key.id}")
    soon = format_rfc3339(now + dt.timedelta(days=13))
    ground.stores.replace(row, {"expires_at": soon, "due_at": PAST})

    def unmet() -> list[str]:
        (row,) = ground.stores.partition(f"KEY#{made.key.id}")
        return [] if row.get("warned_days") == 14 else [str(row)]

    ground.settle(unmet, P.KEY_WARNED)


def test_place_in_the_concurrency_is_given_back(ground: CrashWorkspace) -> None:
    body = {"input": {"type": "html", "html": "<p>{{ n }}", "templating": True}}
    ground.call_killed(P.LEASE_TAKEN, "POST", "/renders/preflight", json=body)
    assert len(ground.stores.limits(ground.workspace)["leases"]) == 1

    def unmet() -> list[str]:
        ground.stores.backdate_admissions(ground.workspace)
        limits = ground.stores.limits(ground.workspace)
        return [*limits["leases"], *limits["holds"], *(["due"] if "due_at" in limits else [])]

    ground.settle(unmet)
    assert ground.call("POST", "/renders/preflight", json=body)["ok"] is True
