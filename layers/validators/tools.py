"""Tools that the build of the validators needs on the machine: a JDK and Maven."""

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from layers.npm import LayerError

JDK_VERSION: Final = 17
INSTALL_COMMAND: Final = "sudo apt-get install openjdk-17-jdk-headless maven"
_TIMEOUT_S: Final = 1_200
_VERSION: Final = re.compile(r'^JAVA_VERSION="(\d+)', re.MULTILINE)


def missing_tools() -> list[str]:
    """Return the tools that this machine lacks; runs no command."""
    paths = [shutil.which(tool) for tool in ("javac", "jlink")]
    has_jdk = all(path is not None and _jdk_version(Path(path)) >= JDK_VERSION for path in paths)
    has_maven = shutil.which("mvn") is not None
    return [*([] if has_jdk else [f"JDK {JDK_VERSION}"]), *([] if has_maven else ["Maven"])]


def check_tools() -> None:
    """Raise LayerError if a tool is absent or too old."""
    if missing := missing_tools():
        raise LayerError(f"missing: {' and '.join(missing)} -- install with: {INSTALL_COMMAND}")


def _jdk_version(tool: Path) -> int:
    """Return the major version of the JDK that a tool belongs to, 0 if unknown."""
    release = tool.resolve().parent.parent / "release"
    try:
        version = _VERSION.search(release.read_text(encoding="utf-8"))
    except OSError:
        return 0
    return int(version[1]) if version else 0


def run(command: Sequence[str], folder: Path | None = None) -> str:
    """Run a command and return its output; raises LayerError with the output when it fails."""
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
