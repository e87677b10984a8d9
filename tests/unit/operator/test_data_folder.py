"""`platen --data`: it finds the server of a folder, and says what to do where there is none."""

import json
import os
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner, Result

from infra.local.paths import StackFolder
from infra.operator.cli import main

STALE: Final = {
    "base_url": "http://127.0.0.1:1/v1",
    "files_host": "http://127.0.0.1:1",
    "pid": os.getpid(),
}


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(main, [*arguments], env=environment)


def write_run_files(folder: Path, **stack: Any) -> None:
    (folder / "run.json").write_text(json.dumps(STALE))
    details = {"endpoints": {}, "resources": {}, "region": "us-east-1", "stack": "platen", **stack}
    (folder / "endpoints.json").write_text(json.dumps(details))


@pytest.mark.parametrize("is_stale", [False, True])
def test_folder_without_a_server_is_named_with_the_command(
    tmp_path: Path, *, is_stale: bool
) -> None:
    if is_stale:
        StackFolder(tmp_path).hold().close()
        write_run_files(tmp_path)

    told = run("--data", str(tmp_path), "workspace", "list")

    assert told.exit_code == 1
    assert f"no server runs on {tmp_path}" in told.stderr
    assert f"platen serve --data {tmp_path}" in told.stderr


def test_folder_of_the_variable_is_used(tmp_path: Path) -> None:
    told = run("workspace", "list", PLATEN_DATA=str(tmp_path))

    assert f"no server runs on {tmp_path}" in told.stderr


def test_data_folder_wins_over_the_stack_of_the_environment(tmp_path: Path) -> None:
    told = run("--data", str(tmp_path), "workspace", "list", PLATEN_MAIN_TABLE="other")

    assert f"no server runs on {tmp_path}" in told.stderr


def test_workspaces_of_a_server_are_self_hosted_by_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plans: list[str] = []

    class Service:
        region = "eu"

        def create_workspace(self, _name: str, *, plan: str, **_: Any) -> None:
            plans.append(plan)
            raise SystemExit(0)

    write_run_files(tmp_path, default_plan="self_hosted")
    monkeypatch.setattr("infra.operator.workspaces.operator", Service)
    with StackFolder(tmp_path).hold():
        run("--data", str(tmp_path), "workspace", "create", "Acme")
        run("--data", str(tmp_path), "workspace", "create", "Acme", "--plan", "growth")
    run("workspace", "create", "Acme", PLATEN_MAIN_TABLE="deployed")

    assert plans == ["self_hosted", "growth", "free"]


def test_serve_needs_a_folder() -> None:
    told = run("serve", PLATEN_DATA="")

    assert told.exit_code == 2
    assert "--data" in told.stderr
