"""Unpacking of the layers of Chromium and the fonts.

Unpacked, their 209 and 100 MB are too large for layers, which hold brotli archives of 67 and 40 MB
(decision 8).
"""

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, override

import brotli  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

EXECUTABLE: Final = "chromium.br"
LIBRARIES: Final = "al2023.tar.br"
ARCHIVES: Final = (EXECUTABLE, LIBRARIES)
# Hyphenation dictionaries, which the browser opens in the folder of its executable.
_DICTIONARIES: Final = "hyphen-data"
FONTS: Final = "fonts.tar.br"
_CHUNK_BYTES: Final = 1 << 18


def unpack(layer: Path, target: Path) -> None:
    """Write the executable `target/chromium` and the folder `target/lib`; raises OSError.

    The dictionaries are small, so they stay in the layer.
    """
    executable = target / "chromium"
    with executable.open("wb") as output:
        for part in _decompressed_chunks(layer / EXECUTABLE):
            output.write(part)
    executable.chmod(0o755)
    libraries = io.BytesIO(b"".join(_decompressed_chunks(layer / LIBRARIES)))
    with tarfile.open(fileobj=libraries) as archive:
        archive.extractall(target, filter="data")
    (target / _DICTIONARIES).symlink_to((layer / _DICTIONARIES).absolute())


def unpack_fonts(layer: Path, target: Path) -> None:
    """Write the fonts and their descriptions into `target`; raises OSError."""
    reader = io.BufferedReader(_ChunkReader(_decompressed_chunks(layer / FONTS)), _CHUNK_BYTES)
    with tarfile.open(fileobj=reader, mode="r|") as archive:
        archive.extractall(target, filter="data")


class _ChunkReader(io.RawIOBase):
    """Stream of chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        super().__init__()
        self._chunks = chunks
        self._rest = memoryview(b"")

    @override
    def readable(self) -> bool:
        return True

    @override
    def readinto(self, buffer: "WriteableBuffer") -> int:
        while not self._rest and (chunk := next(self._chunks, None)) is not None:
            self._rest = memoryview(chunk)
        target = memoryview(buffer)
        size = min(len(target), len(self._rest))
        target[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


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
