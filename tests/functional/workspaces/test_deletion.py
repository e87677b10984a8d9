"""Deletion of workspaces: nothing is left after 30 days, even if functions are killed."""

import datetime as dt
import json
from itertools import pairwise
from typing import Any

import pytest

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.maintenance import delete_workspace as deletion
from chalicelib.features.workspaces.repository import StatusTransitions
from tests.builders.lambda_client import FunctionKilled
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.signed_links import LINKS_PATH, fetch, make_link, sign

OWNER = "ada@example.com"


def tenant(tool: OperatorTool, service: Service) -> tuple[WorkspaceId, str]:
    """Create a workspace with something of every kind; return it and its key."""
    create = service.operator.create_workspace
    workspace = create("Acme", plan="scale", owner=OWNER, regions=["eu"]).id
    tool.json("member", "verify", "--workspace", workspace, OWNER)
    tool.json("member", "add", "--workspace", workspace, "bob@example.com")
    tool.json("workspace", "set", workspace, "--plan", "free")
    tool.json("workspace", "set", workspace, "--plan", "pro")
    key = service.key("live", workspace, expires_at=service.clock.now() + dt.timedelta(days=90))
    for fields in ({"delivery": {"retention_days": 400}}, {"delivery": {"type": "base64"}}, {}):
        assert service.render(key=key, **fields).status == 200
    waiting = service.render(key=key, mode="async").json["id"]
    assert service.call("POST", f"/v1/renders/{waiting}/cancel", key=key).status == 200
    service.relay_events()
    make_email_rule(service, key)
    make_used_link(service, key)
    return workspace, key


def make_email_rule(service: Service, key: str) -> None:
    source = {"name": "Invoice", "html": "<p>"}
    template = service.call("POST", "/v1/templates", json_body=source, key=key).json["id"]
    provider = {"name": "x", "provider": "brevo", "default_from": {"email": "a@example.com"}}
    connection = service.call("POST", "/v1/email-connections", json_body=provider, key=key).json
    rule = {"name": "y", "to": "{{ to }}", "subject": "z", "html": "x" * 200_000}
    rule |= {"connection_id": connection["id"]}
    path = f"/v1/templates/{template}/email-rules"
    assert service.call("POST", path, json_body=rule, key=key).status == 201


def make_used_link(service: Service, key: str) -> None:
    """Make a link that has made a file, and a deleted link that is not erased yet."""
    template = {"name": "Badge", "html": "<p>", "publish": True}
    made = service.call("POST", "/v1/templates", json_body=template, key=key).json["id"]
    assert fetch(service, sign(make_link(service, template_id=made, key=key))).status == 200
    deleted = make_link(service, template_id=made, key=key)["id"]
    assert service.call("DELETE", f"{LINKS_PATH}/{deleted}", key=key).status == 204


def remaining_keys(service: Service, workspace: str) -> list[str]:
    """Return the keys of all rows and objects of a workspace."""
    rows: list[dict[str, Any]] = service.clients.dynamodb.scan(
        TableName=service.settings.main_table
    )["Items"]
    own = {row["PK"]["S"] for row in rows if workspace in str(row)}
    # The row of a link's URL names its link only.
    named = [row["PK"]["S"] for row in rows if row["PK"]["S"] in own]
    return named + [key for key in service.objects() if workspace in key]


def _link_rows(service: Service) -> list[str]:
    rows = service.clients.dynamodb.scan(TableName=service.settings.main_table)["Items"]
    return [row["SK"]["S"] for row in rows if row["PK"]["S"].startswith("LNK#")]


def days_pass(service: Service, days: float, *, minutes: int = 0) -> None:
    service.clock.advance(days=days)
    for _ in range(minutes + 1):
        service.tick()
        while service.run_maintenance() or service.relay_events():
            pass
        service.clock.advance(seconds=61)


def test_deleted_workspace_leaves_nothing(tool: OperatorTool, service: Service) -> None:
    workspace, key = tenant(tool, service)
    service.render()
    kept = remaining_keys(service, service.workspace)
    service.operator.change_status.delete(workspace)
    days_pass(service, 29.9)
    left = remaining_keys(service, workspace)
    assert [key for key in left if key.startswith("ws/")]
    assert len([key for key in left if key.startswith("LNK#")]) == 2

    days_pass(service, 0.2, minutes=1)

    assert remaining_keys(service, workspace) == []
    assert _link_rows(service) == []
    assert service.call("GET", "/v1/renders", key=key).code == "invalid_api_key"
    assert tool.refusal("workspace", "show", workspace)[0] == "not_found"
    assert tool.refusal("workspace", "restore", workspace)[0] == "not_found"
    assert "OWNER#" not in str(service.clients.dynamodb.scan(TableName=service.settings.main_table))
    rows_of_others = {pk for pk in remaining_keys(service, service.workspace) if "RND" in pk}
    assert rows_of_others == {pk for pk in kept if "RND" in pk} != set()
    assert service.dead_letters("Maintenance") == []
    service.clock.advance(days=1)
    assert service.tick() == 0


def test_workspace_restored_in_time_is_not_deleted(tool: OperatorTool, service: Service) -> None:
    workspace, key = tenant(tool, service)
    service.operator.change_status.delete(workspace)
    days_pass(service, 29.9)
    service.operator.change_status.restore(workspace)

    days_pass(service, 10)

    assert service.call("GET", "/v1/account", key=key).status == 200
    service.operator.change_status.delete(workspace)
    days_pass(service, 29.9)
    assert tool.json("workspace", "show", workspace)["status"] == "deletion_scheduled"
    days_pass(service, 0.2)
    assert remaining_keys(service, workspace) == []


def test_deletion_message_after_restore_does_nothing(tool: OperatorTool, service: Service) -> None:
    workspace, key = tenant(tool, service)
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=30, seconds=1)
    service.tick()
    service.operator.change_status.restore(workspace)

    assert service.run_maintenance() == []

    assert service.call("GET", "/v1/account", key=key).status == 200


def test_other_due_items_run_before_the_deletion(tool: OperatorTool, service: Service) -> None:
    workspace, _ = tenant(tool, service)
    before = remaining_keys(service, workspace)
    service.operator.change_status.delete(workspace)
    render = next(pk for pk in before if "#RND#" in pk)

    days_pass(service, 30, minutes=2)
    assert tool.json("workspace", "show", workspace)["status"] == "deleting"
    assert render in remaining_keys(service, workspace)
    days_pass(service, 0, minutes=16)
    assert remaining_keys(service, workspace) == []

    late = {"v": 1, "kind": "render", "pk": render, "sk": "META", "request_id": None}
    service.send("Maintenance", json.dumps(late))
    assert service.run_maintenance() == []
    assert [service.record_dead_letters(queue) for queue in ("Maintenance", "Events")] == [[], []]
    assert service.dead_letters("Maintenance") == service.dead_letters("Events") == []


def test_deletion_begins_to_the_half_second_after_its_grace_period(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = service.create_workspace()
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=30, seconds=20.6)
    service.tick()
    delays: list[int] = []
    send = service.clients.sqs.send_message

    def keep_delay(**given: Any) -> Any:
        delays.append(given["DelaySeconds"])
        return send(**given | {"DelaySeconds": 0})

    monkeypatch.setattr(service.clients.sqs, "send_message", keep_delay)
    assert service.run_maintenance() == []
    assert delays == [15 * 60 - 21]
    service.clock.advance(seconds=delays[0])

    assert service.run_maintenance() == []

    assert service.operator.workspaces.get(WorkspaceId(workspace)) is None
    assert service.tick() == 0


def test_repeated_messages_of_a_deletion_do_not_multiply(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = service.create_workspace()
    for number in range(250):
        pk = f"WS#{workspace}#USE#{service.clock.now():%Y-%m}"
        row: Row = {"PK": pk, "SK": f"DAY#2026-11-21#1#tpl_{number}", "t#tpl#live": 1}
        service.main_table.write(Write(service.main_table, item=row))
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=30, minutes=16)
    monkeypatch.setattr(deletion, "_TIME_LIMIT", dt.timedelta(seconds=-1))
    sent: list[Any] = []
    monkeypatch.setattr(Queue, "try_send", lambda _queue, message, **_: sent.append(message))
    transitions = StatusTransitions(table=service.main_table)
    seen = transitions.begin_deletion(workspace, format_rfc3339(service.clock.now()))

    def see_the_same(*_: object) -> Any:
        service.clock.advance(seconds=0.001)
        return seen

    monkeypatch.setattr(StatusTransitions, "begin_deletion", see_the_same)
    item = DueItem("workspace", f"WS#{workspace}").to_json()
    for _ in range(3):
        service.send("Maintenance", json.dumps(item))
    assert service.run_maintenance() == []

    assert sent == [item]


def test_interrupted_deletion_is_finished(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, key = tenant(tool, service)
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=30, minutes=16)
    real = Table.delete_partition
    deaths = iter([False, False, True])

    def dies(*named: Any) -> Any:
        if next(deaths, False):
            raise FunctionKilled
        return real(*named)

    with monkeypatch.context() as broken:
        broken.setattr(Table, "delete_partition", dies)
        service.tick()
        with pytest.raises(FunctionKilled):
            service.run_maintenance()
    assert tool.json("workspace", "show", workspace)["status"] == "deleting"
    assert tool.refusal("workspace", "restore", workspace)[0] == "conflict"
    assert service.call("GET", "/v1/renders", key=key).code == "invalid_api_key"

    days_pass(service, 0.01, minutes=1)

    assert remaining_keys(service, workspace) == []


def test_deletion_resumes_after_its_time_limit(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, _ = tenant(tool, service)
    service.operator.change_status.delete(workspace)
    monkeypatch.setattr(deletion, "_TIME_LIMIT", dt.timedelta(seconds=-1))
    service.clock.advance(days=30, minutes=16)
    service.tick()
    before = remaining_keys(service, workspace)
    service.run_maintenance()
    partly = remaining_keys(service, workspace)
    assert 0 < len(partly) < len(before)

    days_pass(service, 0, minutes=12)

    assert remaining_keys(service, workspace) == []


def test_deletion_leaves_time_for_other_items(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = service.create_workspace()
    for number in range(250):
        # As many templates, each with separate statistics.
        pk, sk = f"WS#{workspace}#USE#{service.clock.now():%Y-%m}", f"DAY#2026-11-21#1#tpl_{number}"
        row: Row = {"PK": pk, "SK": sk, "t#tpl#live": 1}
        service.main_table.write(Write(service.main_table, item=row))
    service.operator.change_status.delete(workspace)
    service.clock.advance(days=30, minutes=16)
    monkeypatch.setattr(deletion, "_TIME_LIMIT", dt.timedelta(seconds=-1))
    left = [len(remaining_keys(service, workspace))]
    service.tick()

    while left[-1]:
        # It goes on without another tick.
        assert service.run_maintenance() == []
        left.append(len(remaining_keys(service, workspace)))

    assert all(0 < before - after <= 100 for before, after in pairwise(left)), left


def test_keys_are_refused_during_the_deletion(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.operator.change_status.delete(service.workspace)
    service.clock.advance(days=30, minutes=16)
    service.tick()

    def dies(*_: object) -> None:
        raise FunctionKilled

    with monkeypatch.context() as broken:
        broken.setattr("chalicelib.features.workspaces.keys.repository.ApiKeys.erase", dies)
        with pytest.raises(FunctionKilled):
            service.run_maintenance()

    assert service.call("GET", "/v1/renders").code == "workspace_deletion_scheduled"
