"""Limits of one template run, besides those of its process (`engine/sandbox/limits.py`)."""

from typing import Final

FUEL: Final = 5_000_000
"""In units: a loop step, call, filter, test or operator costs at least one."""

CHARACTERS_PER_UNIT: Final = 1_000
"""Characters that an operator or filter may build for one unit of fuel."""

OUTPUT_BYTES: Final = 20_000_000

INTEGER_BITS: Final = 65_536
"""Larger integers only take time: Python prints no more than 4 300 digits."""

INCLUDE_DEPTH: Final = 16

INCLUDE_FUEL: Final = 20
"""In units. An include copies its context, so it costs more than a step."""
