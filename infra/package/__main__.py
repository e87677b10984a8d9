"""`python -m infra.package FOLDER`: build and check the deployment package."""

import sys
from pathlib import Path

from infra.package.build import build
from infra.package.errors import PackageError


def main(folder: Path) -> int:
    """Build into a folder; return the exit status."""
    try:
        build(folder)
    except PackageError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{folder}: complete, both forms of the template lint clean\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
