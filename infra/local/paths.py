"""Where things lie on one machine."""

import json
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.template import ROOT

INSTALL_DIR: Final = ROOT / ".platen"


@dataclass(frozen=True, slots=True)
class StackFolder:
    """The folder of one running stack; what is installed is shared between stacks."""

    path: Path

    @property
    def run_file(self) -> Path:
        """Return the file that tells where the stack serves."""
        return self.path / "run.json"

    @property
    def endpoints_file(self) -> Path:
        """Return the file that tells tests where everything else is."""
        return self.path / "endpoints.json"

    @property
    def scratch(self) -> Path:
        """Return the folder that is emptied at each start."""
        return self.path / "scratch"

    @property
    def functions_log(self) -> Path:
        """Return the log file of the functions and the gateway, whatever the stack shows."""
        return self.log("functions")

    def log(self, name: str) -> Path:
        """Return the log file of a part."""
        return self.path / f"{name}.log"

    def private_log(self, name: str) -> Path:
        """Return the log file of a part, made so that only its owner reads it."""
        log = self.log(name)
        log.touch(mode=0o600)
        log.chmod(0o600)
        return log

    def run_info(self) -> Mapping[str, Any] | None:
        """Return what the run file says, or None where nothing was started."""
        try:
            told: dict[str, Any] = json.loads(self.run_file.read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            return None
        return told


def free_port() -> int:
    """Return a port of loopback that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def tail(path: Path, lines: int = 30) -> str:
    """Return the last lines of a text file, or nothing where there is none."""
    try:
        return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
    except FileNotFoundError:
        return ""
