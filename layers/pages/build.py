"""Build of the layer of the pages: RapiDoc, the viewer of the reference, and its license."""

import sys
from pathlib import Path
from typing import Final

from layers.npm import Package, build_from_packages, main, tarball_files

RAPIDOC: Final = Package(
    "rapidoc",
    "9.3.8",
    "sha512-eCYEbr1Xr8OJZvVCw8SXl9zBCRoLJbhNGuG5IZTHq/RWAOq/O4MafUCuFEyZHsrhLrlUcGZMa64pyhpib8fQKQ==",
)
# Names in the package, and in the layer.
_FILES: Final = {
    "dist/rapidoc-min.js": "rapidoc.js",
    "LICENSE.txt": "rapidoc-LICENSE.txt",
    "dist/rapidoc-min.js.LICENSE.txt": "rapidoc-parts-LICENSE.txt",
}


def build(target: Path) -> None:
    """Fill `target`; idempotent."""
    build_from_packages(target, [RAPIDOC], recipe="1", unpack=_unpack)


def _unpack(_package: Package, tarball: Path, folder: Path) -> None:
    files = dict(tarball_files(tarball))
    for source, name in _FILES.items():
        (folder / name).write_bytes(files[source])


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
