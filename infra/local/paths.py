"""Folders and files of the local stack."""

import fcntl
import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from infra.template import ROOT

INSTALL_DIR: Final = ROOT / ".platen"


@dataclass(frozen=True, slots=True)
class StackFolder:
    """Folder of one running stack; installed tools are shared between stacks.

    `is_kept` tells whether what the stack holds outlives it: rows, objects, keys and secrets.
    """

    path: Path
    is_kept: bool = False

    @property
    def run_file(self) -> Path:
        """Return the file with the stack's URL, keys and process id."""
        return self.path / "run.json"

    @property
    def endpoints_file(self) -> Path:
        """Return the file with the endpoints and resources, for tests and the operator tool."""
        return self.path / "endpoints.json"

    @property
    def scratch(self) -> Path:
        """Return the scratch folder, which is emptied at each start."""
        return self.path / "scratch"

    @property
    def tables_file(self) -> Path:
        """Return the database of the tables of a stack that is kept."""
        return self.path / "tables" / "tables.db"

    @property
    def objects(self) -> Path:
        """Return the folder of the objects of a stack that is kept."""
        return self.path / "objects"

    @property
    def keys(self) -> Path:
        """Return the folder of the keys and secrets of a stack that is kept."""
        return self.path / "keys"

    @property
    def functions_log(self) -> Path:
        """Return the log file of the functions and the gateway."""
        return self.log("functions")

    def log(self, name: str) -> Path:
        """Return the log file of a part."""
        return self.path / f"{name}.log"

    def private_log(self, name: str) -> Path:
        """Return the log file of a part, created so that only its owner can read it."""
        log = self.log(name)
        log.touch(mode=0o600)
        log.chmod(0o600)
        return log

    def hold(self) -> IO[bytes]:
        """Hold the folder, which is made, until the returned file is closed.

        Raises BlockingIOError while another process holds it.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        lock = (self.path / "lock").open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise
        return lock

    def is_held(self) -> bool:
        """Tell whether a process holds the folder, which has been held before."""
        try:
            with (self.path / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False

    def run_info(self) -> Mapping[str, Any] | None:
        """Return the content of the run file, or None if no stack was started."""
        try:
            content: dict[str, Any] = json.loads(self.run_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return content


def free_port() -> int:
    """Return a loopback port that is free at this moment; another process may still take it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def tail(path: Path, lines: int = 30) -> str:
    """Return the last lines of a text file, or an empty text if it is absent."""
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""
