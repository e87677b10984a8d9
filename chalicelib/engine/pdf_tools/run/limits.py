"""Bounds of what a PDF tool reads."""

from typing import Final

MAX_SOURCE_BYTES: Final = 100_000_000
# Of all sources together: a file that comes out may have as much as one of them.
MAX_TOTAL_BYTES: Final = 200_000_000
