"""ZIP archive (APPNOTE 6.3, stored entries, ZIP64) that is written and resumed item by item.

The zipfile module cannot go on from a saved state: it needs the open archive.
"""

import zlib
from struct import Struct as BinaryStruct
from typing import Final

import msgspec

from chalicelib.engine.combining.failure import MAX_ARCHIVE_BYTES, check_size

_LOCAL_HEADER: Final = BinaryStruct("<4s5H3I2H")
_CENTRAL_HEADER: Final = BinaryStruct("<4s6H3I5H2I")
_END: Final = BinaryStruct("<4s4H2IH")
_ZIP64_END: Final = BinaryStruct("<4sQ2H2I4Q")
_ZIP64_LOCATOR: Final = BinaryStruct("<4sIQI")
_VERSION: Final = 20
_ZIP64_VERSION: Final = 45
_MADE_ON_UNIX: Final = 3 << 8
_REGULAR_FILE: Final = 0o100644 << 16
_UTF8_NAME: Final = 1 << 11
_STORED: Final = 0
# 2000-01-01 00:00:00 in the format of MS-DOS, which counts years from 1980.
_TIME: Final = 0
_DATE: Final = (2000 - 1980) << 9 | 1 << 5 | 1
_ZIP64_EXTRA: Final = 1
# The largest value of a field is the mark that ZIP64 has the true one.
_MAX_16_BIT: Final = 0xFFFF
_MAX_32_BIT: Final = 0xFFFFFFFF


class ZipEntry(msgspec.Struct, array_like=True, frozen=True):
    """File of the archive, and the place of its local header."""

    name: str
    crc: int
    size: int
    offset: int


class ZipState(msgspec.Struct):
    """State between two items: the entries written so far. It is serialised by msgspec."""

    entries: list[ZipEntry] = []
    size: int = 0


def append(state: ZipState, name: str, content: bytes) -> bytes:
    """Return the bytes of one more file, and note it in the state.

    Raises CombineFailure `output_too_large`.
    """
    entry = ZipEntry(name, zlib.crc32(content), len(content), state.size)
    header = _local_header(entry)
    check_size(state.size + len(header) + len(content), MAX_ARCHIVE_BYTES)
    state.entries.append(entry)
    state.size += len(header) + len(content)
    return header + content


def finish(state: ZipState) -> bytes:
    """Return the central directory, which ends the archive."""
    directory = b"".join(map(_central_header, state.entries))
    count, size, offset = len(state.entries), len(directory), state.size
    zip64 = b""
    if count >= _MAX_16_BIT or size >= _MAX_32_BIT or offset >= _MAX_32_BIT:
        zip64 = _ZIP64_END.pack(
            b"PK\6\6", _ZIP64_END.size - 12, _MADE_ON_UNIX | _ZIP64_VERSION, _ZIP64_VERSION,
            *(0, 0, count, count, size, offset),
        ) + _ZIP64_LOCATOR.pack(b"PK\6\7", 0, offset + size, 1)  # fmt: skip
    shown_count = min(count, _MAX_16_BIT)
    end = _END.pack(
        *(b"PK\5\6", 0, 0, shown_count, shown_count),
        *(min(size, _MAX_32_BIT), min(offset, _MAX_32_BIT), 0),
    )
    return directory + zip64 + end


def _local_header(entry: ZipEntry) -> bytes:
    name, is_large = entry.name.encode(), entry.size >= _MAX_32_BIT
    extra = _zip64_extra(entry.size, entry.size) if is_large else b""
    size = min(entry.size, _MAX_32_BIT)
    header = _LOCAL_HEADER.pack(
        b"PK\3\4", _ZIP64_VERSION if is_large else _VERSION, _UTF8_NAME, _STORED, _TIME, _DATE,
        *(entry.crc, size, size, len(name), len(extra)),
    )  # fmt: skip
    return header + name + extra


def _central_header(entry: ZipEntry) -> bytes:
    name = entry.name.encode()
    sizes = (entry.size, entry.size) if entry.size >= _MAX_32_BIT else ()
    offsets = (entry.offset,) if entry.offset >= _MAX_32_BIT else ()
    extra = _zip64_extra(*sizes, *offsets)
    version = _ZIP64_VERSION if extra else _VERSION
    size = min(entry.size, _MAX_32_BIT)
    header = _CENTRAL_HEADER.pack(
        b"PK\1\2", _MADE_ON_UNIX | version, version, _UTF8_NAME, _STORED, _TIME, _DATE,
        *(entry.crc, size, size, len(name), len(extra), 0, 0, 0),
        *(_REGULAR_FILE, min(entry.offset, _MAX_32_BIT)),
    )  # fmt: skip
    return header + name + extra


def _zip64_extra(*values: int) -> bytes:
    """Return the extra field with the values that do not fit their own fields."""
    if not values:
        return b""
    return BinaryStruct(f"<2H{len(values)}Q").pack(_ZIP64_EXTRA, 8 * len(values), *values)
