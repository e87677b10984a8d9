"""Server for a test or a benchmark: started, killed whole, and started again on its folder."""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import psutil

from infra.local.emulators import StackError
from infra.local.paths import StackFolder, tail
from infra.local.running_stack import RunningStack
from infra.serve.maintenance import run_rows
from infra.template import ROOT

_TIMEOUT_S: Final = 120.0
_PLATEN: Final = ("-c", "from infra.operator.cli import main; main()")


class RunningServer:
    """One data folder and, while it runs, its server."""

    def __init__(self, data: Path, **environment: str) -> None:
        """Serve this folder; `environment` is added to this process's variables."""
        self.data = data
        self.log = data.with_name(f"{data.name}.log")
        self._environment = {**os.environ, **environment}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def run_info(self) -> dict[str, Any]:
        """Return the run file."""
        info: dict[str, Any] = json.loads((self.data / "run.json").read_text(encoding="utf-8"))
        return info

    @property
    def base_url(self) -> str:
        """Return the base URL."""
        return str(self.run_info["base_url"])

    @property
    def own_url(self) -> str:
        """Return the URL for programs of this machine."""
        return str(self._details()["own_url"])

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """Return the process of the server."""
        assert self._process is not None, "it is started first"
        return self._process

    @property
    def is_running(self) -> bool:
        """Tell whether it was started and has not ended."""
        return self._process is not None and self._process.poll() is None

    def start(self, *options: str) -> float:
        """Start, wait until it serves, and return the seconds; raises StackError with its log.

        Without options it takes a free port.
        """
        begun = time.monotonic()
        self.launch(*options)
        end = begun + _TIMEOUT_S
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                if self.run_info["pid"] == self.process.pid:
                    return time.monotonic() - begun
            time.sleep(0.02)
        message = f"the server did not start:\n{tail(self.log)}"
        raise StackError(message)

    def launch(self, *options: str) -> None:
        """Start without waiting."""
        command = [sys.executable, "-m", "infra.serve", "--data", str(self.data)]
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                [*command, *(options or ("--port", "0"))],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def members(self) -> Sequence[psutil.Process]:
        """Return all processes of the server."""
        server = psutil.Process(self.process.pid)
        return [server, *server.children(recursive=True)]

    def kill_everything(self) -> None:
        """Kill all processes at once, as the loss of power would."""
        members = self.members()
        for member in members:
            with contextlib.suppress(psutil.NoSuchProcess):
                member.kill()
        self.process.wait()
        psutil.wait_procs(members, timeout=_TIMEOUT_S)

    def stop(self) -> None:
        """Stop as a service manager does."""
        if self.is_running:
            self.process.terminate()
            self.process.wait(_TIMEOUT_S)

    def platen(self, *arguments: str) -> Mapping[str, Any]:
        """Run a command of the operator tool on the folder; return its answer."""
        done = subprocess.run(
            [sys.executable, *_PLATEN, "--data", str(self.data), *arguments, "--json"],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise StackError(done.stderr)
        answer: Mapping[str, Any] = json.loads(done.stdout)
        return answer

    def run_rows(self, task: str) -> int:
        """Run a task of maintenance now; return its number."""
        details = self._details()
        return run_rows(task, details["endpoints"], details["resources"])

    def create_tenant(self, name: str) -> RunningStack:
        """Make a workspace with two keys as an operator does; return the stack as it sees it."""
        workspace = str(self.platen("workspace", "create", name)["id"])
        keys = {
            mode: self.platen("key", "create", "--workspace", workspace, "--mode", mode)["key"]
            for mode in ("test", "live")
        }
        return self.seen_by(workspace, str(keys["test"]), str(keys["live"]))

    def seen_by(self, workspace: str, test_key: str, live_key: str) -> RunningStack:
        """Return the stack as a workspace sees it: other ports and processes after each start."""
        details = self._details()
        return RunningStack(
            **self.run_info,
            workspace=workspace,
            test_key=test_key,
            live_key=live_key,
            own_url=details["own_url"],
            endpoints=details["endpoints"],
            resources=details["resources"],
            folder=self.data,
        )

    def _details(self) -> dict[str, Any]:
        file = StackFolder(self.data).endpoints_file
        details: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        return details

    def restart_after_kill(self, tenant: RunningStack, *options: str) -> RunningStack:
        """Kill everything, start again, and return what a workspace sees then."""
        self.kill_everything()
        self.start(*options)
        return self.seen_by(tenant.workspace, tenant.test_key, tenant.live_key)


@contextlib.contextmanager
def running_server(data: Path, **environment: str) -> Iterator[RunningServer]:
    """Give a server on a folder, not started; stop it at the end of the block."""
    server = RunningServer(data, **environment)
    try:
        yield server
    finally:
        server.stop()
