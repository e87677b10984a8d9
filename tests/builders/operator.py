"""The operator tool run in process: arguments in; exit code, table or JSON object out."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from chalicelib.bootstrap import operator as bootstrap
from infra.operator import connection
from infra.operator.cli import main
from tests.builders.in_process_aws import REGION


class OperatorTool:
    """Runs `platen` in this process with the given run folder."""

    def __init__(self, folder: Path, environment: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._environment = environment
        environment.setattr(connection, "RUN_FOLDER", folder)
        self.forget_service()

    def use_service(
        self, table: str, resources: Mapping[str, Mapping[str, str]] | None = None
    ) -> None:
        """Set the environment that names a service: its table and its other resources."""
        for variable, logical in connection.resource_variables().items():
            self._environment.setenv(variable, (resources or {}).get(logical, {}).get("Ref", ""))
        self._environment.setenv("PLATEN_MAIN_TABLE", table)
        self._environment.setenv("PLATEN_STACK", "platen")
        self._environment.setenv("PLATEN_FUNCTIONS_LOG", str(self.folder / "functions.log"))
        bootstrap.operator_services.cache_clear()

    def forget_service(self) -> None:
        """Remove the environment that names a service."""
        # Set first, so that monkeypatch also reverts what the tool itself sets.
        others = ("PLATEN_STACK", "PLATEN_FUNCTIONS_LOG", "PLATEN_FILES_HOST")
        for variable in (*connection.resource_variables(), *others):
            self._environment.setenv(variable, "")
        bootstrap.operator_services.cache_clear()

    def write_run_files(
        self,
        table: str,
        pid: int,
        resources: Mapping[str, Mapping[str, str]] | None = None,
        workspace: str = "ws_demo",
    ) -> None:
        """Write the run files of a running stack."""
        self._environment.setenv("AWS_REGION", REGION)  # reverted after the test, as above
        endpoints = {
            "stack": "platen",
            "endpoints": {},
            "region": REGION,
            "resources": resources or {"MainTable": {"Ref": table}},
        }
        run = {"pid": pid, "workspace": workspace, "files_host": "https://files.test"}
        (self.folder / "run.json").write_text(json.dumps(run))
        (self.folder / "endpoints.json").write_text(json.dumps(endpoints))

    def run(self, *arguments: str) -> Result:
        """Run a command; an exception that it does not handle fails the test."""
        done = CliRunner().invoke(main, arguments, prog_name="platen")
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    def json(self, *arguments: str) -> Any:
        """Return the single JSON object that a command prints."""
        done = self.run(*arguments, "--json")
        assert (done.exit_code, done.stderr) == (0, ""), done.output
        answer = json.loads(done.stdout)
        assert isinstance(answer, dict)
        return answer

    def table(self, *arguments: str) -> list[str]:
        """Return the lines that a command prints without `--json`."""
        done = self.run(*arguments)
        assert (done.exit_code, done.stderr) == (0, ""), done.output
        return done.stdout.splitlines()

    def refusal(self, *arguments: str) -> tuple[str, str]:
        """Return code and detail of a refusal, which must agree with and without `--json`."""
        plain, as_json = self.run(*arguments), self.run(*arguments, "--json")
        assert (plain.exit_code, plain.stdout) == (1, ""), plain.output
        assert as_json.exit_code == 1
        assert as_json.stderr == plain.stderr
        answer = json.loads(as_json.stdout)
        assert plain.stderr == f"Error: {answer['detail']}\n"
        return answer["code"], answer["detail"]
