"""Build of the Chromium layer: the pinned headless shell, packed for Lambda and unpacked."""

import io
import sys
import tarfile
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped]

from layers.npm import Package, build_from_packages, main, tarball_files

CHROMIUM: Final = Package(
    "@sparticuz/chromium",
    "153.0.0",
    "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==",
)


def build(target: Path) -> None:
    """Create `chromium.br` and `al2023.tar.br` (libraries that Amazon Linux lacks); idempotent.

    For local use they are also unpacked, to the executable `chromium` and the folder `lib`.
    """
    build_from_packages(target, [CHROMIUM], recipe="2", unpack=_unpack)


def _unpack(_package: Package, tarball: Path, folder: Path) -> None:
    files = dict(tarball_files(tarball))
    for name in ("chromium.br", "al2023.tar.br"):
        (folder / name).write_bytes(files[f"bin/{name}"])
    executable = folder / "chromium"
    executable.write_bytes(brotli.decompress(files["bin/chromium.br"]))
    executable.chmod(0o755)
    libraries = brotli.decompress(files["bin/al2023.tar.br"])
    with tarfile.open(fileobj=io.BytesIO(libraries)) as archive:
        archive.extractall(folder, filter="data")


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
