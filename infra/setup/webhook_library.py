"""Fetch of the npm library that verifies webhooks in tests, with its dependencies.

`python -m infra.setup.webhook_library TARGET_DIR`
"""

import sys
from pathlib import Path
from typing import Final

from layers.npm import Package, build_from_packages, main, tarball_files

PACKAGES: Final = (
    Package(
        "standardwebhooks",
        "1.1.1",
        "sha512-bCbX9ZEyFkWPsRz7Bl3NuQUJohmwGSev/yhr7vhaGPlc4AfIrspIRa6cPTBuI1ItmrTDJ4d/S2hCsfe4+vQGnQ==",
    ),
    Package(
        "@stablelib/base64",
        "1.0.1",
        "sha512-1bnPQqSxSuc3Ii6MhBysoWCg58j97aUjuCSZrGSmDxNqtytIi0k8utUenAwTZN4V5mXXYGsVUI9zeBqy+jBOSQ==",
    ),
    Package(
        "fast-sha256",
        "1.3.0",
        "sha512-n11RGP/lrWEFI/bWdygLxhI+pVeo1ZYIVwvvPkW7azl/rOy+F3HYRZ2K5zeE9mmkhQppyv9sQFx0JM9UabnpPQ==",
    ),
)


def build(target: Path) -> None:
    """Create `target/node_modules` with the library; idempotent."""
    build_from_packages(target, PACKAGES, recipe="1", unpack=_unpack)


def _unpack(package: Package, tarball: Path, folder: Path) -> None:
    for path, content in tarball_files(tarball):
        file = folder / "node_modules" / package.name / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
