"""Limits of one run in a confined process."""

from typing import Final

CPU_S: Final = 5.0

MEMORY_BYTES: Final = 512_000_000
"""Address space of the child process above its size when it is ready."""
