"""A server of `platen serve` for tests: started, killed whole, and started again on its folder."""

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

from infra.local.emulators import client_factory
from infra.local.paths import tail
from infra.template import ROOT
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import PATIENCE_S

_PLATEN: Final = ("-c", "from infra.operator.cli import main; main()")


class Server:
    """One data folder and, while it runs, its server."""

    def __init__(self, data: Path, **environment: str) -> None:
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
        return str(self._endpoints()["own_url"])

    @property
    def process(self) -> "subprocess.Popen[bytes]":
        """Return the process of the server."""
        assert self._process is not None
        return self._process

    def start(self, *options: str) -> float:
        """Start, wait until it serves, and return the seconds that this took."""
        begun = time.monotonic()
        self.launch(*options)
        end = begun + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(OSError, ValueError):
                if self.run_info["pid"] == self.process.pid:
                    return time.monotonic() - begun
            time.sleep(0.02)
        message = f"the server did not start:\n{tail(self.log)}"
        raise AssertionError(message)

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
        psutil.wait_procs(members, timeout=PATIENCE_S)

    def stop(self) -> None:
        """Stop as a service manager does."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(PATIENCE_S)

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
        assert done.returncode == 0, done.stderr
        answer: Mapping[str, Any] = json.loads(done.stdout)
        return answer

    def client(self, key: str) -> ApiClient:
        """Return a client with a key; its address changes with each start on port 0."""
        return ApiClient(self, key)

    def boto3(self, service: str) -> Any:
        """Return a boto3 client for a part of the server."""
        return client_factory(self._endpoints()["endpoints"])(service)

    def resource(self, logical_id: str) -> str:
        """Return the name of a resource."""
        return str(self._endpoints()["resources"][logical_id]["Ref"])

    def _endpoints(self) -> dict[str, Any]:
        content: dict[str, Any] = json.loads((self.data / "endpoints.json").read_text())
        return content


@contextlib.contextmanager
def server_on(data: Path, **environment: str) -> Iterator[Server]:
    """Give a server on a folder that is not started; stop it at the end."""
    server = Server(data, **environment)
    try:
        yield server
    finally:
        server.stop()
