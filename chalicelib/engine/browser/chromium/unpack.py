"""Unpacking of the Chromium layer.

Unpacked, its 209 MB are too large for a layer: it holds brotli archives of 67 MB (decision 8).
"""

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
    """Write the executable `target/chromium` and the folder `target/lib`; raises OSError."""
    executable = target / "chromium"
    with executable.open("wb") as output:
        for part in _decompressed_chunks(layer / EXECUTABLE):
            output.write(part)
    executable.chmod(0o755)
    libraries = io.BytesIO(b"".join(_decompressed_chunks(layer / LIBRARIES)))
    with tarfile.open(fileobj=libraries) as archive:
        archive.extractall(target, filter="data")


def _decompressed_chunks(archive: Path) -> Iterator[bytes]:
    """Yield the content in chunks, so that memory does not grow with the browser's size."""
    decompressor = brotli.Decompressor()
    with archive.open("rb") as source:
        while chunk := source.read(_CHUNK_BYTES):
            try:
                yield decompressor.process(chunk)
            except brotli.error as error:
                raise OSError(None, f"{archive} is damaged") from error
    if not decompressor.is_finished():
        raise OSError(None, f"{archive} is cut off")
