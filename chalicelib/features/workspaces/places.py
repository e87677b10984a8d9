"""Places for what a caller waits for and no render is made of: publishing, checks, verdicts.

They are those of the plan's sync renders, so that nobody takes more browsers, validators or
functions of the API than the plan lets be busy at once.
"""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.faults import passed_over
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.ids import Ids, RenderId
from chalicelib.features.workspaces.limits import Place
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.model import Workspace

# Longer than any request; a place that nobody gives back is free then.
_LONGEST: Final = dt.timedelta(seconds=40)


@dataclass(slots=True)
class Held:
    """A place that is held; where work goes on without its caller, until it runs out by itself."""

    outlived: bool = False


class Places:
    """Holds places while something is done."""

    def __init__(self, *, limits: Limits, clock: Clock, ids: Ids) -> None:
        """Take them from these limits."""
        self._limits = limits
        self._clock = clock
        self._ids = ids

    @contextmanager
    def __call__(self, workspace: Workspace, *, until: float | None = None) -> Iterator[Held]:
        """Hold a place of a workspace, until a Unix second at most; `concurrency_limited`."""
        now = self._clock.now()
        ends = now + _LONGEST if until is None else dt.datetime.fromtimestamp(until, dt.UTC)
        place, held = Place(RenderId(self._ids.new("plc", now)), workspace, ends), Held()
        self._limits.enter(place, now)
        here(CrashPoint.PLACE_TAKEN)
        try:
            yield held
        finally:
            if not held.outlived:
                # What was done is done; the place runs out by itself.
                with passed_over("a place is not given back"):
                    self._limits.leave(place)
