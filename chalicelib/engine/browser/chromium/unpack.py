"""Unpacks the browser of a layer, which is too large for one as it is: 209 MB out of 67."""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import brotli  # type: ignore[import-untyped]

EXECUTABLE: Final = "chromium.br"
LIBRARIES: Final = "al2023.tar.br"
ARCHIVES: Final = (EXECUTABLE, LIBRARIES)
_CHUNK_BYTES: Final = 1 << 18


def unpack(layer: Path, target: Path) -> None:
    """Make `target/chromium`, an executable, and `target/lib`; raises OSError."""
    executable = target / "chromium"
    with executable.open("wb") as output:
        for part in _decompressed_chunks(layer / EXECUTABLE):
            output.write(part)
    executable.chmod(0o755)
    libraries = io.BytesIO(b"".join(_decompressed_chunks(layer / LIBRARIES)))
    with tarfile.open(fileobj=libraries) as archive:
        archive.extractall(target, filter="data")


def _decompressed_chunks(archive: Path) -> Iterator[bytes]:
    """Yield the content little by little: the memory of a start is not to grow with the browser."""
    decompressor = brotli.Decompressor()
    with archive.open("rb") as source:
        while chunk := source.read(_CHUNK_BYTES):
            try:
                yield decompressor.process(chunk)
            except brotli.error as error:
                raise OSError(None, f"{archive} is damaged") from error
    if not decompressor.is_finished():
        raise OSError(None, f"{archive} is cut off")
