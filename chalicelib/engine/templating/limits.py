"""The budget of one template run."""

from typing import Final

FUEL: Final = 5_000_000
"""Units: a loop step, call, filter, test or operator is at least one."""

CHARACTERS_PER_UNIT: Final = 1_000
"""Text that an operator or filter builds costs one unit per so many characters."""

OUTPUT_BYTES: Final = 20_000_000

CPU_S: Final = 5.0

MEMORY_BYTES: Final = 512_000_000
"""Address space of the child over what it has when it is ready."""

INTEGER_BITS: Final = 65_536
"""Larger integers cannot be printed (Python refuses from 4 300 digits), only burn time."""

INCLUDE_DEPTH: Final = 16

INCLUDE_FUEL: Final = 20
"""An include copies its context, so it is dearer than a step."""
