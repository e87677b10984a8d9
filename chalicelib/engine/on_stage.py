"""Observer of the stages of a render, such as a trace."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import Final

# Gets the name, the start and the end of a stage, in nanoseconds since 1970.
type OnStage = Callable[[str, int, int], None]

ON_STAGE: Final[ContextVar[OnStage | None]] = ContextVar("on_stage", default=None)
