"""Fetch of dynoxide, a local DynamoDB: `python -m infra.setup.dynoxide TARGET_DIR`."""

import sys
from pathlib import Path
from typing import Final

from layers.npm import Package, build_from_packages, main, tarball_files

DYNOXIDE: Final = Package(
    "@dynoxide/linux-x64",
    "1.2.1",
    "sha512-sBHqlxJ9ANkLluFkYRfd5r8Y0ApFew4FhOrlhgRAgD4XzEoFOukEo1nuBTQ1+jTtofqwn4NWQ2k0Tn5mNTjgUg==",
)


def build(target: Path) -> None:
    """Create the executable `target/dynoxide`; idempotent."""
    build_from_packages(target, [DYNOXIDE], recipe="1", unpack=_unpack)


def _unpack(_package: Package, tarball: Path, folder: Path) -> None:
    executable = folder / "dynoxide"
    executable.write_bytes(dict(tarball_files(tarball))["dynoxide"])
    executable.chmod(0o755)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
