"""Delete a workspace whose time has come, with everything that it holds; bit by bit."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from chalicelib.adapters.json_logs import about
from chalicelib.core.clock import Clock, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.deletion import Deletions
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.owned import FreeWorkspaces
from chalicelib.features.workspaces.repository import Keys

log = logging.getLogger(__name__)

# A batch of ten such messages ends within the function's time; the next tick goes on.
_WORKS_FOR: Final = dt.timedelta(seconds=8)
# What was due before, such as files whose retention ended, is done and told by then.
_PAUSE: Final = dt.timedelta(minutes=15)

type Erase = Callable[[WorkspaceId], Iterator[None]]


class DeleteWorkspace:
    """Repeatable, also side by side; nothing of it can be taken back.

    Nobody is told: the contract has no event for what is deleted by request.
    """

    def __init__(
        self,
        *,
        deletions: Deletions,
        keys: Keys,
        limits: Limits,
        free: FreeWorkspaces,
        contents: Sequence[Erase],
        clock: Clock,
    ) -> None:
        """Build from the repositories; `contents` erase what the features keep, bit by bit."""
        self._deletions = deletions
        self._keys = keys
        self._limits = limits
        self._free = free
        self._contents = contents
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId) -> None:
        """Delete a workspace, or as much of it as there is time for."""
        about(workspace=workspace_id)
        begun = self._clock.now()
        workspace = self._deletions.begin(workspace_id, rfc3339(begun))
        if workspace is None:
            # It was restored, or another message has come to its end.
            log.info("no deletion is due")
            return
        assert workspace.delete_at is not None
        erases_at = parse_rfc3339(workspace.delete_at) + _PAUSE
        if begun < erases_at:
            self._deletions.go_on(workspace, rfc3339(erases_at))
            return
        self._keys.erase(workspace_id)
        here(CrashPoint.WORKSPACE_KEYS_ERASED)
        for erase in self._contents:
            for _ in erase(workspace_id):
                here(CrashPoint.WORKSPACE_ERASED)
                now = self._clock.now()
                if now > begun + _WORKS_FOR:
                    self._deletions.go_on(workspace, rfc3339(now))
                    log.info("workspace deleted in part")
                    return
        self._limits.erase(workspace_id)
        here(CrashPoint.WORKSPACE_LIMITS_ERASED)
        self._free.release(workspace)
        here(CrashPoint.WORKSPACE_RELEASED)
        self._deletions.end(workspace)
        log.info("workspace deleted")
