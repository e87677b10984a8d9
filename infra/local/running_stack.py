"""Stack for a test or a benchmark, on free ports and in its own folder."""

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.local import background
from infra.local.emulators import client_factory
from infra.local.paths import StackFolder


@dataclass(frozen=True, slots=True)
class RunningStack:
    """Running stack: URLs, keys, emulator endpoints and resources."""

    base_url: str
    files_host: str
    workspace: str
    test_key: str
    live_key: str
    pid: int
    own_url: str
    endpoints: dict[str, str]
    resources: dict[str, dict[str, str]]
    folder: Path

    def client(self, service: str) -> Any:
        """Return a boto3 client for a service of the stack's emulators."""
        return client_factory(self.endpoints)(service)

    def log(self) -> str:
        """Return the stack's own log so far."""
        return StackFolder(self.folder).log("stack").read_text(encoding="utf-8")


@contextlib.contextmanager
def running_stack(
    path: Path | None = None, *, as_json: bool = True, **environment: str
) -> Iterator[RunningStack]:
    """Run a stack inside the block; `environment` is added to this process's variables.

    Raises StackError with the stack's log if it cannot start.
    """
    with contextlib.ExitStack() as cleanup:
        if path is None:
            path = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="platen-")))
        folder = StackFolder(path)
        run_info = background.start(folder, 0, as_json=as_json, environment=environment)
        cleanup.callback(background.stop, folder)
        details = json.loads(folder.endpoints_file.read_text(encoding="utf-8"))
        yield RunningStack(
            **run_info,
            own_url=details["own_url"],
            endpoints=details["endpoints"],
            resources=details["resources"],
            folder=path,
        )
