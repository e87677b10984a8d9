"""Build of the layer of the pages: the viewer of the reference and the search of the guides."""

import sys
from pathlib import Path
from typing import Final

from layers.npm import Package, build_from_packages, main, tarball_files

RAPIDOC: Final = Package(
    "rapidoc",
    "9.3.8",
    "sha512-eCYEbr1Xr8OJZvVCw8SXl9zBCRoLJbhNGuG5IZTHq/RWAOq/O4MafUCuFEyZHsrhLrlUcGZMa64pyhpib8fQKQ==",
)
MINISEARCH: Final = Package(
    "minisearch",
    "7.2.0",
    "sha512-dqT2XBYUOZOiC5t2HRnwADjhNS2cecp9u+TJRiJ1Qp/f5qjkeT5APcGPjHw+bz89Ms8Jp+cG4AlE+QZ/QnDglg==",
)
# Names in the package, and in the layer.
_FILES: Final = {
    RAPIDOC.name: {
        "dist/rapidoc-min.js": "rapidoc.js",
        "LICENSE.txt": "rapidoc-LICENSE.txt",
        "dist/rapidoc-min.js.LICENSE.txt": "rapidoc-parts-LICENSE.txt",
    },
    MINISEARCH.name: {
        "dist/es/index.js": "minisearch.js",
        "LICENSE.txt": "minisearch-LICENSE.txt",
    },
}


def build(target: Path) -> None:
    """Fill `target`; idempotent."""
    build_from_packages(target, [RAPIDOC, MINISEARCH], recipe="2", unpack=_unpack)


def _unpack(package: Package, tarball: Path, folder: Path) -> None:
    files = dict(tarball_files(tarball))
    for source, name in _FILES[package.name].items():
        (folder / name).write_bytes(files[source])


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
