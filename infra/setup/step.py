"""A step of the set-up: what it depends on, what it leaves behind, the commands it runs."""

import hashlib
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent.parent
INSTALLED: Final = ROOT / ".platen"
_STAMPS: Final = INSTALLED / "stamps"


class SetupError(Exception):
    """A step failed; the message is what its command wrote."""


@dataclass(frozen=True, slots=True)
class Step:
    """Commands that run again only when an input changed or a result is gone."""

    name: str
    title: str
    commands: tuple[Sequence[str], ...]
    inputs: tuple[Path, ...]
    results: tuple[Path, ...]
    after: tuple[str, ...] = ()

    def is_done(self) -> bool:
        """Tell whether the results stand and were made from the present inputs."""
        if not all(result.exists() for result in self.results):
            return False
        try:
            return self._stamp.read_text(encoding="utf-8") == self._digest()
        except FileNotFoundError:
            return False

    def run(self) -> None:
        """Run the commands and remember the inputs; raises SetupError."""
        for command in self.commands:
            _run(command)
        _STAMPS.mkdir(parents=True, exist_ok=True)
        self._stamp.write_text(self._digest(), encoding="utf-8")

    @property
    def _stamp(self) -> Path:
        return _STAMPS / self.name

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
