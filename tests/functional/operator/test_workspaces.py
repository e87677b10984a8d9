"""`platen workspace`: changes, output and refusals."""

import os

import pytest

from chalicelib.features.workspaces.plans import PLANS
from tests.builders.operator import OperatorTool
from tests.builders.service import Service

WIDE_NAME = "A name that is far wider than a narrow terminal could ever show on one line"


def test_new_workspace_is_free_verified_and_in_this_region(tool: OperatorTool) -> None:
    made = tool.json("workspace", "create", "Acme")

    assert made["id"].startswith("ws_")
    assert made | {"id": "", "created_at": ""} == {
        "id": "",
        "name": "Acme",
        "plan": "free",
        "status": "active",
        "owner": None,
        "owner_verified": True,
        "regions": ["eu"],
        "allow_ips": [],
        "spend_cap_cents": 0,
        "allow_draft_rendering": False,
        "webhook_file_urls": True,
        "created_at": "",
        "delete_at": None,
    }


def test_named_owner_is_unverified(tool: OperatorTool) -> None:
    made = tool.json("workspace", "create", "Acme", "--owner", "a@example.com", "--plan", "pro")

    assert (made["owner"], made["owner_verified"], made["plan"]) == ("a@example.com", False, "pro")


def test_regions_are_set_at_creation_or_later(tool: OperatorTool) -> None:
    made = tool.json("workspace", "create", "Acme", "--region", "us", "--region", "eu")
    changed = tool.json("workspace", "set", made["id"], "--regions", "us")

    assert made["regions"] == ["us", "eu"]
    assert changed["regions"] == ["us"]


def test_workspaces_are_listed_newest_first(tool: OperatorTool, service: Service) -> None:
    made = [tool.json("workspace", "create", name)["id"] for name in ("First", "Second")]

    rows = tool.json("workspace", "list")["data"]

    older = [row["id"] for row in rows if row["id"] in made]
    assert older == made[::-1]
    assert service.workspace in {row["id"] for row in rows}
    assert rows[0].keys() == {"id", "name", "plan", "status"}


def test_show_prints_the_usage(tool: OperatorTool, service: Service) -> None:
    service.render()
    service.render(mode="async")

    shown = tool.json("workspace", "show", service.workspace)

    assert (shown["renders_used"], shown["renders_left"]) == (1, 250_000 - 2)
    assert shown["renders_unfinished"] == 1
    assert shown["cycle_start"] == "2026-11-21T12:00:00.000Z"
    assert shown["cycle_end"] == "2026-12-21T12:00:00.000Z"


@pytest.mark.parametrize("plan", PLANS)
def test_every_plan_can_be_set(tool: OperatorTool, service: Service, plan: str) -> None:
    changed = tool.json("workspace", "set", service.workspace, "--plan", plan)

    assert changed["plan"] == plan
    left = tool.json("workspace", "show", service.workspace)["renders_left"]
    assert left == PLANS[plan].included_renders


def test_allowlist_applies_until_it_is_removed(tool: OperatorTool, service: Service) -> None:
    changed = tool.json(
        "workspace", "set", service.workspace, "--allow-ip", "198.51.100.0/24", "--allow-ip", "::/8"
    )
    outside = service.call("GET", "/v1/renders")
    inside = service.call("GET", "/v1/renders", source_ip="198.51.100.9")
    opened = tool.json("workspace", "set", service.workspace, "--allow-any-ip")

    assert changed["allow_ips"] == ["198.51.100.0/24", "::/8"]
    assert (outside.status, outside.code, inside.status) == (403, "ip_not_allowed", 200)
    assert opened["allow_ips"] == []
    assert service.call("GET", "/v1/renders").status == 200


def test_unnamed_settings_stay_unchanged(tool: OperatorTool, service: Service) -> None:
    tool.json("workspace", "set", service.workspace, "--allow-ip", "198.51.100.0/24")

    changed = tool.json("workspace", "set", service.workspace, "--plan", "pro")

    assert changed["allow_ips"] == ["198.51.100.0/24"]
    assert changed["regions"] == ["eu"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("workspace", "show", "ws_none"),
        ("workspace", "set", "ws_none", "--plan", "pro"),
    ],
)
def test_unknown_workspace_is_refused(tool: OperatorTool, arguments: tuple[str, ...]) -> None:
    assert tool.refusal(*arguments) == ("not_found", "There is no workspace ws_none.")


@pytest.mark.parametrize(
    "arguments",
    [
        ("create", ""),
        ("create", "x" * 121),
        ("set", "{workspace}", "--allow-ip", "10.0.0.1/8"),
        ("set", "{workspace}", "--allow-ip", "everywhere"),
    ],
)
def test_invalid_value_is_refused(
    tool: OperatorTool, service: Service, arguments: tuple[str, ...]
) -> None:
    filled = [argument.format(workspace=service.workspace) for argument in arguments]

    assert tool.refusal("workspace", *filled)[0] == "validation_error"


def test_tables_show_ids_whole_on_a_narrow_terminal(
    tool: OperatorTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    name = f"[red]{WIDE_NAME}[/nothing] :smile:"
    made = tool.json("workspace", "create", name)

    rows = tool.table("workspace", "list")
    fields = tool.table("workspace", "show", made["id"])

    assert any(made["id"] in row and "[red]A name" in row for row in rows)
    words = {word for row in rows for word in row.split()}
    assert words >= set(name.split())
    assert ["id", made["id"]] in [row.split() for row in fields]
    assert ["owner_verified", "yes"] in [row.split() for row in fields]


def test_tables_show_control_characters_as_escapes(tool: OperatorTool) -> None:
    made = tool.json("workspace", "create", "A\x1b[2J\nB")

    assert any(r"A\x1b[2J\nB" in row for row in tool.table("workspace", "list"))
    assert made["name"] == "A\x1b[2J\nB"


@pytest.mark.parametrize("command", [("create", "Acme"), ("list",), ("show", "{workspace}")])
def test_output_for_people_is_a_table(
    tool: OperatorTool, service: Service, command: tuple[str, ...]
) -> None:
    filled = [argument.format(workspace=service.workspace) for argument in command]

    lines = tool.table("workspace", *filled)

    assert any("ws_" in line for line in lines)


def test_local_stack_is_found(tool: OperatorTool, service: Service) -> None:
    tool.forget_service()
    tool.write_run_files(service.settings.main_table, pid=os.getpid())

    rows = tool.json("workspace", "list")["data"]

    assert [row["id"] for row in rows] == [service.workspace]


def test_missing_table_is_reported_without_a_traceback(tool: OperatorTool) -> None:
    tool.use_service("nothing")

    code, reason = tool.refusal("workspace", "list")

    assert code == "aws_failed"
    assert "ResourceNotFoundException" in reason
