"""Rows of cross-reference streams (ISO 32000-1, 7.5.8), column by column.

A row for each object in a loop takes longer than all else that is done with a file of many.
"""

import sys
from array import array
from collections.abc import Sequence
from typing import Final

# Kinds of entries; 0 is one without an object.
IN_FILE: Final = 1
IN_STREAM: Final = 2
# Filter of a row that has its differences to the row before (PNG, 9.2).
_UP: Final = b"\2"


def four_byte_columns(numbers: array[int]) -> list[bytes]:
    """Return the bytes of numbers, the highest first."""
    ordered = numbers[:]
    if sys.byteorder == "little":
        ordered.byteswap()
    content = ordered.tobytes()
    return [content[digit::4] for digit in range(4)]


def plain_rows(columns: Sequence[bytes | bytearray]) -> bytes:
    """Return the rows of the columns."""
    width = len(columns)
    rows = bytearray(width * len(columns[0]))
    for place, column in enumerate(columns):
        rows[place::width] = column
    return bytes(rows)


def predicted_rows(columns: Sequence[bytes | bytearray]) -> bytes:
    """Return the rows as differences, which are mostly equal: predictor 12."""
    filters = _UP * len(columns[0])
    return plain_rows([filters, *map(_differences, columns)])


def _differences(column: bytes | bytearray) -> bytes:
    """Return each byte less the byte before it.

    All at once, as one number: the highest bit of each byte is kept out, so that nothing is
    borrowed from the next one.
    """
    size = len(column)
    high, low = int.from_bytes(b"\x80" * size), int.from_bytes(b"\x7f" * size)
    these = int.from_bytes(column)
    before = these >> 8
    differences = ((these | high) - (before & low)) ^ ((these ^ before ^ high) & high)
    return differences.to_bytes(size)
