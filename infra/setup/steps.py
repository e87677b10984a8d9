"""Step of the set-up: commands, inputs (pins) and results in folders of the project."""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
INSTALL_DIR: Final = ROOT / ".platen"
_STAMPS_DIR: Final = INSTALL_DIR / "stamps"
UV: Final = INSTALL_DIR / "tools" / "bin" / "uv"
PYTHON: Final = ROOT / ".venv" / "bin" / "python"
MINISTACK_DIR: Final = INSTALL_DIR / "ministack"
# The program that makes the site of docs/.
PROPERDOCS_DIR: Final = INSTALL_DIR / "properdocs"
# Packages that the console is built and checked with.
CONSOLE_PACKAGES_DIR: Final = INSTALL_DIR / "console_packages"
LOCALSTACK_DIR: Final = INSTALL_DIR / "localstack"
WEBHOOK_LIBRARY_DIR: Final = INSTALL_DIR / "webhook-library"
STORES_DIR: Final = INSTALL_DIR / "stores"
# Linter of prose.
VALE_DIR: Final = INSTALL_DIR / "vale"
# Commands that the machine may lack, in fitting versions.
COMMANDS_DIR: Final = INSTALL_DIR / "commands"
JAVA_DIR: Final = INSTALL_DIR / "java"
# Generators of clients: packages of npm, jars and a program in Go.
GENERATORS_DIR: Final = INSTALL_DIR / "client_generators"
CSHARP_DIR: Final = INSTALL_DIR / "csharp"
_LOCKS_DIR: Final = ROOT / "infra" / "setup" / "requirements"


def lock_file(tool: str) -> Path:
    """Return the lock file of a package that is a tool."""
    return _LOCKS_DIR / f"{tool}.txt"


class SetupError(Exception):
    """A step failed; the message is the output of its command."""


@dataclass(frozen=True, slots=True)
class SetupStep:
    """Commands that run again only when an input has changed or a result is missing."""

    name: str
    title: str
    commands: tuple[Sequence[str], ...]
    inputs: tuple[Path, ...]
    results: tuple[Path, ...]
    after: tuple[str, ...] = ()

    def is_done(self) -> bool:
        """Tell whether the results exist and were made from the current inputs."""
        if not all(result.exists() for result in self.results):
            return False
        try:
            return self._stamp.read_text(encoding="utf-8") == self._digest()
        except FileNotFoundError:
            return False

    def run(self) -> None:
        """Run the commands and record the inputs; raises SetupError."""
        for command in self.commands:
            _run(command)
        _STAMPS_DIR.mkdir(parents=True, exist_ok=True)
        self._stamp.write_text(self._digest(), encoding="utf-8")

    @property
    def _stamp(self) -> Path:
        return _STAMPS_DIR / self.name

    def _digest(self) -> str:
        digest = hashlib.sha256(repr((str(ROOT), self.commands)).encode())
        for path in self.inputs:
            digest.update(path.read_bytes())
        return digest.hexdigest()


def _run(command: Sequence[str]) -> None:
    environment = {
        **os.environ,
        "UV_PYTHON_DOWNLOADS": "never",
        "PYTHONPATH": str(ROOT),
        "PATH": f"{COMMANDS_DIR}:{os.environ.get('PATH', os.defpath)}",
    }
    environment.pop("VIRTUAL_ENV", None)
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        message = f"{' '.join(command)}\n{ran.stdout}{ran.stderr}".rstrip()
        raise SetupError(message)
