"""Build of the Chromium layer: the pinned headless shell, packed for Lambda and unpacked.

Beside it are the hyphenation dictionaries, which the browser opens in the folder of its executable.
"""

import io
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped]

from layers.chromium.hyb_file import hyb_file
from layers.chromium.languages import LANGUAGES
from layers.chromium.licenses import license_notice
from layers.chromium.patterns import PATTERNS, read_patterns
from layers.npm import Package, build_from_packages, main, tarball_files

CHROMIUM: Final = Package(
    "@sparticuz/chromium",
    "153.0.0",
    "sha512-jiGWqSvPMdu4+P9TilYqAR7yEGPEHINx+lCvE/NqNO/EHYzF/x1hUiI5T6ioVIt7dEy7n88byyT0vk+dnsgQwA==",
)


def build(target: Path) -> None:
    """Create `chromium.br` and `al2023.tar.br` (libraries that Amazon Linux lacks); idempotent.

    For local use they are also unpacked, to the executable `chromium` and the folder `lib`. Both
    have the dictionaries of `hyphen-data`.
    """
    recipe = f"3 {LANGUAGES}"
    build_from_packages(target, [CHROMIUM, PATTERNS], recipe=recipe, unpack=_unpack)


def _unpack(package: Package, tarball: Path, folder: Path) -> None:
    files = dict(tarball_files(tarball))
    unpack = _write_dictionaries if package is PATTERNS else _unpack_browser
    unpack(files, folder)


def _write_dictionaries(files: Mapping[str, bytes], folder: Path) -> None:
    dictionaries = folder / "hyphen-data"
    licenses = dictionaries / "licenses"
    licenses.mkdir(parents=True)
    for language in LANGUAGES:
        patterns: dict[str, list[int]] = {}
        for source in language.patterns.split():
            patterns |= read_patterns(files[f"patterns/{source}.js"].decode())
        name = f"hyph-{language.dictionary}"
        (dictionaries / f"{name}.hyb").write_bytes(hyb_file(patterns))
        (licenses / f"{name}.txt").write_text(license_notice(language), encoding="utf-8")


def _unpack_browser(files: Mapping[str, bytes], folder: Path) -> None:
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
