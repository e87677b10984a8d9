"""`platen` without a service: usage, settings and instructions."""

import os
from pathlib import Path

import pytest

from chalicelib.bootstrap.work import all_settings
from chalicelib.features.workspaces.keys.model import SCOPES
from tests.builders.operator import OperatorTool


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the operator tool on a machine where nothing runs."""
    return OperatorTool(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("workspaces",),
        ("settings", "PLATEN_REGION"),
        ("workspace",),
        ("workspace", "create"),
        ("workspace", "create", "Acme", "--plan", "platinum"),
        ("workspace", "set", "ws_1"),
        ("workspace", "set", "ws_1", "--plan", "platinum"),
        ("workspace", "set", "ws_1", "--allow-ip", "::/8", "--allow-any-ip"),
        ("workspace", "show"),
        ("workspace", "list", "--all"),
        ("key",),
        ("key", "create"),
        ("key", "create", "--workspace", "ws_1"),
        ("key", "create", "--workspace", "ws_1", "--mode", "demo"),
        ("key", "create", "--workspace", "ws_1", "--mode", "live", "--scope", "everything"),
        ("key", "list"),
        ("key", "roll"),
        ("key", "roll", "key_1", "--grace-h", "2"),
        ("key", "revoke"),
        ("pdf", "shred", __file__),
        ("pdf", "rotate", __file__, "--degrees", "90"),
        ("pdf", "rotate", "absent.pdf", "--degrees", "90", "-o", "x.pdf"),
        ("pdf", "rotate", __file__, __file__, "--degrees", "90", "-o", "x.pdf"),
        ("pdf", "rotate", __file__, "--degrees", "90", "-o", "absent/x.pdf"),
        ("pdf", "merge", __file__, "-o", "x.pdf"),
        ("pdf", "watermark", __file__, "-o", "x.pdf"),
        ("pdf", "stamp", __file__, "--text", "a", "--page", __file__, "-o", "x.pdf"),
        ("pdf", "protect", __file__, "-o", "x.pdf"),
        ("pdf", "metadata", __file__, "--title", "x"),
        ("pdf", "reorder", __file__, "--order", "1,two", "-o", "x.pdf"),
        ("pdf", "fill-form", __file__, "--field", "name", "-o", "x.pdf"),
    ],
    ids=" ".join,
)
def test_wrong_use_exits_with_two(tool: OperatorTool, arguments: tuple[str, ...]) -> None:
    done = tool.run(*arguments)

    assert (done.exit_code, done.stdout) == (2, "")
    assert "Usage: platen" in done.stderr


@pytest.mark.parametrize("command", ["create", "list", "show", "set"])
def test_every_workspace_command_explains_itself(tool: OperatorTool, command: str) -> None:
    assert "--json" in "\n".join(tool.table("workspace", command, "--help"))


@pytest.mark.parametrize("command", ["create", "list", "roll", "revoke"])
def test_every_key_command_explains_itself(tool: OperatorTool, command: str) -> None:
    assert "--json" in "\n".join(tool.table("key", command, "--help"))


def test_help_names_every_scope(tool: OperatorTool) -> None:
    text = "\n".join(tool.table("key", "create", "--help"))

    assert all(scope in text for scope in SCOPES)


def test_settings_lists_every_setting(tool: OperatorTool) -> None:
    rows = {row["variable"]: row for row in tool.json("settings")["data"]}
    lines = tool.table("settings")
    column = lines[0].index("meaning")
    meanings = "".join("".join(line[column:].split()) for line in lines)

    for setting in all_settings():
        assert rows[setting.variable] == {
            "variable": setting.variable,
            "default": setting.default,
            "required": setting.default is None,
            "meaning": setting.meaning,
        }
    assert rows.keys() == {setting.variable for setting in all_settings()}
    assert max(map(len, lines)) <= 100
    assert all("".join(row["meaning"].split()) in meanings for row in rows.values())
    assert {line.split()[0] for line in lines} >= rows.keys()


@pytest.mark.parametrize(
    "arguments",
    [
        ("workspace", "create", "Acme"),
        ("workspace", "list"),
        ("workspace", "show", "ws_1"),
        ("workspace", "set", "ws_1", "--plan", "pro"),
        ("key", "create", "--workspace", "ws_1", "--mode", "live"),
        ("key", "list", "--workspace", "ws_1"),
        ("key", "roll", "key_1"),
        ("key", "revoke", "key_1"),
    ],
    ids=" ".join,
)
def test_without_a_service_the_tool_says_what_to_do(
    tool: OperatorTool, arguments: tuple[str, ...]
) -> None:
    code, reason = tool.refusal(*arguments)

    assert code == "no_service"
    assert "make up" in reason
    assert "PLATEN_MAIN_TABLE" in reason


@pytest.mark.parametrize("arguments", [("dlq", "list"), ("workspace", "list")], ids=" ".join)
def test_missing_region_names_its_variable(
    tool: OperatorTool, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", "absent")
    expected = ("setting_missing", "no region is set: export AWS_DEFAULT_REGION=eu-central-1")

    assert tool.refusal("--stage", "production", *arguments) == expected


@pytest.mark.parametrize("broken", ["run", "endpoints"])
def test_unreadable_run_files_are_ignored(tool: OperatorTool, broken: str) -> None:
    tool.write_run_files("a-table", pid=os.getpid())
    (tool.folder / f"{broken}.json").write_text("{")

    assert tool.refusal("workspace", "list")[0] == "no_service"


def test_stack_with_a_dead_process_is_ignored(tool: OperatorTool) -> None:
    never_given_out = 2**22 + 1
    tool.write_run_files("a-table", pid=never_given_out)

    assert tool.refusal("workspace", "list")[0] == "no_service"
