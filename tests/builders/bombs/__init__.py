"""Templates that try to break the process that runs them, each with the error code it must give."""

from typing import Final

from chalicelib.engine.templating.includes import Includes
from tests.builders.bombs.escapes import FILTERS, NESTING, PATTERNS, SLOW, WALKS
from tests.builders.bombs.includes import INCLUDES
from tests.builders.bombs.oversized import FORMATS, NUMBERS, SIZE, STEPS

ALL_BOMBS: Final[dict[str, tuple[str, str, Includes]]] = {
    f"{kind}: {name}": (*bomb, Includes()) if len(bomb) == 2 else bomb
    for kind, bombs in (
        ("steps", STEPS),
        ("size", SIZE),
        ("numbers", NUMBERS),
        ("formats", FORMATS),
        ("walks", WALKS),
        ("nesting", NESTING),
        ("filters", FILTERS),
        ("patterns", PATTERNS),
        ("includes", INCLUDES),
        ("slow", SLOW),
    )
    for name, bomb in bombs.items()
}
