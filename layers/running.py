"""Commands that build the layers. Runs with Python 3.9 too, as layers.maven does."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

_TIMEOUT_S: Final = 3_600
_HERE: Final = Path()


class LayerError(Exception):
    """A layer cannot be built; the message says what to do."""


def run(command: Sequence[str], folder: Path = _HERE) -> str:
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
