"""Walls around processes that handle content of strangers, and the consequence of a missing one."""

import logging
import threading
from collections.abc import Callable, Collection
from typing import Final

log = logging.getLogger(__name__)

NOT_DUMPABLE: Final = "not_dumpable"
PARENT_DEATH_SIGNAL: Final = "parent_death_signal"
NO_NEW_PRIVILEGES: Final = "no_new_privileges"
SYSTEM_CALL_FILTER: Final = "system_call_filter"
RESOURCE_LIMITS: Final = "resource_limits"
BROWSER_SANDBOX: Final = "browser_sandbox"


class WallsMissingError(Exception):
    """The kernel refuses walls in an environment that other workspaces share; names them."""


class Walls:
    """Register of the walls that the processes of one environment lack (decision 35)."""

    def __init__(
        self, *, may_miss: bool = False, on_missing: Callable[[str], None] = lambda _wall: None
    ) -> None:
        """Take whether processes may lack walls, which only an environment of one workspace allows.

        `on_missing` gets the name of each missing wall once.
        """
        self._may_miss = may_miss
        self._on_missing = on_missing
        self._lock = threading.Lock()
        self._missing: set[str] = set()

    @property
    def missing(self) -> tuple[str, ...]:
        """Return the names of the walls that some process lacks, sorted."""
        return tuple(sorted(self._missing))

    def admit(self, process: str, missing: Collection[str]) -> None:
        """Record the walls that a process lacks before it gets any content.

        Raises WallsMissingError.
        """
        with self._lock:
            news = sorted(set(missing) - self._missing)
            self._missing.update(news)
        for wall in news:
            log.warning("a wall is missing", extra={"wall": wall, "child": process})
            self._on_missing(wall)
        if missing and not self._may_miss:
            message = (
                f"{process} lacks {', '.join(sorted(missing))}, and other workspaces share its "
                "environment: isolate them with TENANCY=isolated, on one machine with "
                "PLATEN_LOCAL_TENANCY=workspace"
            )
            raise WallsMissingError(message)
