"""How many free workspaces a person owns."""

import datetime as dt
from typing import Final

from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.repository import Workspaces

MOST: Final = 2
_COUNTS_DELETED: Final = dt.timedelta(days=30)


class FreeWorkspaces:
    """Counts them by the owner's address; whoever has none is nobody who could own too many."""

    def __init__(self, *, workspaces: Workspaces, clock: Clock) -> None:
        """Count among all workspaces; the operator, who asks, has few."""
        self._workspaces = workspaces
        self._clock = clock

    def check(self, owner: str | None) -> None:
        """Raise `free_workspace_limit` where the owner has as many as one person may have."""
        if owner is None:
            return
        since = rfc3339(self._clock.now() - _COUNTS_DELETED)
        owned = [row for row in self._workspaces.all() if _counts(row, owner, since)]
        if len(owned) >= MOST:
            raise ServiceError(
                "free_workspace_limit",
                f"{owner} owns {MOST} free workspaces already; deleted ones count for 30 days.",
            )


def _counts(workspace: Workspace, owner: str, since: str) -> bool:
    mine = (workspace.owner_email or "").casefold() == owner.casefold()
    gone = workspace.deleted_at is not None and workspace.deleted_at <= since
    return mine and workspace.plan_code == "free" and not gone
