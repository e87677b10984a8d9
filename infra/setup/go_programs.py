"""Build of a program in Go from a module of the Go proxy, pinned by the hash of its files."""

import json
from pathlib import Path
from typing import NamedTuple

from layers.running import LayerError, run


class GoProgram(NamedTuple):
    """Module with the hash of its files, and the package in it that is the program.

    The module pins its dependencies by its own go.sum.
    """

    name: str
    module: str
    version: str
    sum: str
    package: str


def module_folder(program: GoProgram) -> Path:
    """Return the folder of the module's files; raises LayerError where their hash differs."""
    pin = f"{program.module}@{program.version}"
    module = json.loads(run(["go", "mod", "download", "-json", pin]))
    if module["Sum"] != program.sum:
        message = f"{pin} is not the pinned module: {module['Sum']} instead of {program.sum}"
        raise LayerError(message)
    return Path(module["Dir"])


def build_program(program: GoProgram, folder: Path, target: Path) -> None:
    """Build the executable `target/<name>` of the module's files in a folder."""
    # `go install` would not look at the module's go.sum.
    command = ["go", "build", "-C", str(folder), "-mod=readonly", "-trimpath", "-buildvcs=false"]
    run([*command, "-ldflags=-s -w", "-o", str(target / program.name), program.package])
