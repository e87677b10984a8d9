"""What the build of the validators needs of the machine: a JDK and Maven."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from layers.npm import LayerError

JDK: Final = 17
# Kept in step with infra/setup/java.py, which tells people before anything is built.
INSTALL: Final = "sudo apt-get install openjdk-17-jdk-headless maven"
_TIMEOUT_S: Final = 1_200
_VERSION: Final = re.compile(r"(?:javac|jlink)?\s*(\d+)")


def check_tools() -> None:
    """Raise LayerError where a tool is absent or too old."""
    absent = [tool for tool in ("javac", "jlink", "mvn") if shutil.which(tool) is None]
    if absent:
        raise LayerError(f"missing: {', '.join(absent)} -- install with: {INSTALL}")
    for tool in ("javac", "jlink"):
        told = run([tool, "--version"])
        version = _VERSION.match(told)
        if version is None or int(version[1]) < JDK:
            raise LayerError(f"{tool} is {told.strip()}, not {JDK} or newer: {INSTALL}")


def run(command: Sequence[str], folder: Path | None = None) -> str:
    """Run a command and return what it printed; raises LayerError with that when it fails."""
    try:
        ran = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_TIMEOUT_S,
        )
    except subprocess.TimeoutExpired as late:
        raise LayerError(f"{command[0]} was not done after {_TIMEOUT_S} s") from late
    if ran.returncode != 0:
        raise LayerError(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}".rstrip())
    return ran.stdout
