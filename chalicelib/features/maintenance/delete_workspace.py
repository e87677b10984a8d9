"""Deletion of a workspace that is due, with all of its data, in steps."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.queues import DELAY_PRECISION, MAX_DELAY
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.keys.repository import ApiKeys
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.repository import FreeWorkspaceLimit
from chalicelib.features.workspaces.repository import DUE_WORKSPACE, StatusTransitions

log = logging.getLogger(__name__)

# A batch of ten such messages ends within the function's timeout; the next tick continues.
_TIME_LIMIT: Final = dt.timedelta(seconds=8)
# Items that were due earlier, such as expired files, are done and published by then.
_GRACE_PERIOD: Final = dt.timedelta(minutes=15)

# Longer than a step and the way of its message.
_DUE_AFTER_MESSAGE: Final = dt.timedelta(minutes=2)

type SendLater = Callable[[DueItem, dt.timedelta], None]
type Erase = Callable[[WorkspaceId], Iterator[None]]


class DeleteWorkspace(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Deletion of one workspace; idempotent, also in parallel, and irreversible.

    No event is published: the contract has none for a deletion by request.

    Each eraser deletes the data of one feature and yields per step. `send_later` sends a due item
    to this handler again after a delay.
    """

    transitions: StatusTransitions
    keys: ApiKeys
    limits: WorkspaceLimits
    free_workspaces: FreeWorkspaceLimit
    erasers: Sequence[Erase]
    send_later: SendLater
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId) -> None:
        """Delete a workspace, or as much of it as the time limit allows."""
        bind(workspace=workspace_id)
        started_at = self.clock.now()
        begun = self.transitions.begin_deletion(workspace_id, format_rfc3339(started_at))
        if begun is None:
            # The workspace was restored, or another message has finished the deletion.
            log.info("no deletion is due")
            return
        workspace, due_at = begun
        assert workspace.delete_at is not None
        erases_at = parse_rfc3339(workspace.delete_at) + _GRACE_PERIOD
        if started_at + DELAY_PRECISION < erases_at:
            self._continue(workspace, due_at, after=erases_at - started_at)
            return
        self.keys.erase(workspace_id)
        crash_if_armed(CrashPoint.WORKSPACE_KEYS_ERASED)
        for erase in self.erasers:
            for _ in erase(workspace_id):
                crash_if_armed(CrashPoint.WORKSPACE_ERASED)
                now = self.clock.now()
                if now > started_at + _TIME_LIMIT:
                    self._continue(workspace, due_at, after=dt.timedelta())
                    log.info("workspace deleted in part")
                    return
        self.limits.erase(workspace_id)
        crash_if_armed(CrashPoint.WORKSPACE_LIMITS_ERASED)
        self.free_workspaces.release(workspace)
        crash_if_armed(CrashPoint.WORKSPACE_RELEASED)
        # The row goes last: until then the deletion stays due after a crash.
        self.transitions.delete_rows(workspace)
        log.info("workspace deleted")

    def _continue(self, workspace: Workspace, due_at: str, *, after: dt.timedelta) -> None:
        """Go on with a message; if it is lost, the workspace is due shortly after it.

        Of parallel messages only the first goes on, so they do not multiply.
        """
        delay = min(after, MAX_DELAY)
        until = format_rfc3339(self.clock.now() + delay + _DUE_AFTER_MESSAGE)
        if self.transitions.postpone_deletion(workspace, due_at, until):
            crash_if_armed(CrashPoint.WORKSPACE_POSTPONED)
            self.send_later(DueItem(DUE_WORKSPACE.name, f"WS#{workspace.id}"), delay)
