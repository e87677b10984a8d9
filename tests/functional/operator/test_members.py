"""`platen member` and the states of a workspace: effects over HTTP."""

import json
from collections.abc import Iterable

import pytest

from chalicelib.adapters.aws.table import Table, Write
from chalicelib.features.workspaces.repository import Workspaces
from tests.builders.operator import OperatorTool
from tests.builders.service import Service


def workspace_with_owner(tool: OperatorTool, service: Service) -> tuple[str, str]:
    """Return a workspace with an unverified owner, and its live key."""
    made = tool.json("workspace", "create", "Acme", "--owner", "Ada@Example.com")
    return made["id"], service.key("live", made["id"])


def emails(tool: OperatorTool, workspace: str) -> list[str]:
    return [row["email"] for row in tool.json("member", "list", "--workspace", workspace)["data"]]


def test_verified_owner_may_render(tool: OperatorTool, service: Service) -> None:
    workspace, key = workspace_with_owner(tool, service)
    assert service.render(key=key).code == "email_not_verified"

    told = tool.json("member", "verify", "--workspace", workspace, "ada@example.com")

    assert (told["role"], told["verified"]) == ("owner", True)
    service.clock.advance(seconds=2)
    assert service.render(key=key).status == 200
    assert tool.json("workspace", "show", workspace)["owner_verified"] is True


def test_members_are_added_and_removed(tool: OperatorTool, service: Service) -> None:
    workspace, _ = workspace_with_owner(tool, service)
    member = ("--workspace", workspace, "bob@example.com")

    added = tool.json("member", "add", *member, "--role", "admin")

    assert added["id"].startswith("mem_")
    assert (added["role"], added["verified"]) == ("admin", False)
    assert tool.refusal("member", "add", *member)[0] == "conflict"
    assert emails(tool, workspace) == ["ada@example.com", "bob@example.com"]
    assert tool.json("member", "remove", *member)["email"] == "bob@example.com"
    assert emails(tool, workspace) == ["ada@example.com"]
    assert tool.refusal("member", "remove", *member)[0] == "not_found"


def test_last_owner_cannot_leave_until_another_takes_over(
    tool: OperatorTool, service: Service
) -> None:
    workspace, key = workspace_with_owner(tool, service)
    ada = ("--workspace", workspace, "ada@example.com")
    bob = ("--workspace", workspace, "bob@example.com")
    assert tool.refusal("member", "remove", *ada)[0] == "conflict"

    tool.json("member", "add", *bob, "--role", "owner")
    tool.json("member", "verify", *bob)
    tool.json("member", "remove", *ada)

    assert tool.json("workspace", "show", workspace)["owner"] == "bob@example.com"
    assert service.render(key=key).status == 200


def test_first_owner_of_an_ownerless_workspace_is_unverified_and_renders_continue(
    tool: OperatorTool, service: Service
) -> None:
    ada = ("--workspace", service.workspace, "ada@example.com")

    added = tool.json("member", "add", *ada, "--role", "owner")

    assert (added["role"], added["verified"]) == ("owner", False)
    assert tool.json("workspace", "show", service.workspace)["owner"] == "ada@example.com"
    assert service.render().status == 200
    assert tool.json("member", "verify", *ada)["verified"] is True
    assert service.render().status == 200


@pytest.mark.parametrize(
    "email",
    [
        "nobody",
        "a@b",
        "a b@example.com",
        "a\n@example.com",
        "@x.de",
        "a,b@x.de",
        '"a"@x.de',
        "<a@x.de",
    ],
)
def test_invalid_email_is_refused(tool: OperatorTool, service: Service, email: str) -> None:
    code, _ = tool.refusal("member", "add", "--workspace", service.workspace, email)

    assert code == "validation_error"


def test_suspended_workspace_is_refused_until_it_is_restored(
    tool: OperatorTool, service: Service
) -> None:
    assert tool.json("workspace", "suspend", service.workspace)["status"] == "suspended"

    assert service.call("GET", "/v1/renders").code == "workspace_suspended"
    assert service.render(key=service.test).code == "workspace_suspended"
    assert tool.refusal("workspace", "suspend", service.workspace)[0] == "conflict"
    assert tool.json("workspace", "restore", service.workspace)["status"] == "active"
    assert service.render().status == 200
    assert tool.refusal("workspace", "restore", service.workspace)[0] == "conflict"


def test_workspace_scheduled_for_deletion_is_refused_until_restored(
    tool: OperatorTool, service: Service
) -> None:
    deleted = tool.json("workspace", "delete", service.workspace)

    assert deleted["status"] == "deletion_scheduled"
    assert deleted["delete_at"] > deleted["created_at"]
    assert service.call("GET", "/v1/renders").code == "workspace_deletion_scheduled"
    assert tool.json("workspace", "restore", service.workspace)["delete_at"] is None
    assert service.render().status == 200


def test_a_person_owns_at_most_two_free_workspaces(tool: OperatorTool) -> None:
    create = ("workspace", "create", "Acme", "--owner", "ada@example.com")
    first = tool.json(*create)["id"]
    tool.json(*create, "--plan", "starter")
    tool.json("workspace", "create", "Other", "--owner", "bob@example.com")
    tool.json(*create)

    assert tool.refusal(*create)[0] == "free_workspace_limit"
    tool.json("workspace", "delete", first)
    assert tool.refusal(*create)[0] == "free_workspace_limit"
    paid = tool.json(*create, "--plan", "starter")["id"]
    assert tool.refusal("workspace", "set", paid, "--plan", "free")[0] == "free_workspace_limit"
    for _ in range(2):
        tool.json("workspace", "create", "Nobody's")


@pytest.mark.parametrize("way", ["create", "set"])
def test_concurrent_operators_create_no_third_free_workspace(
    tool: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    owner = "ada@example.com"
    create = ("workspace", "create", "Acme", "--owner", owner)
    tool.json(*create)
    paid = tool.json(*create, "--plan", "starter")["id"]
    transact = Table.transact

    def overtaken(table: Table, writes: Iterable[Write]) -> None:
        monkeypatch.setattr(Table, "transact", transact)
        service.operator.create_workspace("Other", owner=owner, regions=["eu"])
        transact(table, writes)

    monkeypatch.setattr(Table, "transact", overtaken)
    command = create if way == "create" else ("workspace", "set", paid, "--plan", "free")
    refused = tool.run(*command, "--json")

    assert json.loads(refused.stdout)["code"] == "conflict"
    assert tool.refusal(*command)[0] == "free_workspace_limit"
    plans = [row["plan"] for row in tool.json("workspace", "list")["data"]]
    assert sorted(plans) == ["free", "free", "scale", "starter"]


def test_claimed_workspace_counts_before_it_is_listed(
    tool: OperatorTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    create = ("workspace", "create", "Acme", "--owner", "ada@example.com")
    tool.json(*create)
    tool.json(*create)
    monkeypatch.setattr(Workspaces, "all", lambda _: [])

    assert tool.refusal(*create)[0] == "free_workspace_limit"
