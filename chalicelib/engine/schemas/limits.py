"""Processor time of one check against a JSON Schema.

A pattern such as `^(a+)+$` takes for ever with a few characters, so the time follows from the size
of the checked data: 4 MB of ordinary rows take 1.5 s.
"""

from typing import Final

from chalicelib.engine.sandbox import limits

CPU_LIMIT: Final = "1 s of processor time, and another for each MB of schema and data"
_BYTES_PER_S: Final = 1_000_000


def cpu_s(size: int) -> float:
    """Return the seconds of a check whose schema and data have `size` bytes."""
    return min(1.0 + size // _BYTES_PER_S, limits.CPU_S)
