"""Cost of a render that is only checked: what it takes of the allowance; nothing is reserved."""

from typing import NamedTuple

import msgspec

from chalicelib.core.clock import Clock
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.limits.model import allowance
from chalicelib.features.workspaces.limits.quota import check_renders_left
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.model import Mode, Workspace


class RenderCost(NamedTuple):
    """Renders that a success takes, and those that are left: included ones and those of packs.

    `refusal` is why there is none left for it, or None.
    """

    renders: int
    remaining: int
    refusal: ServiceError | None = None


class ReadCost(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reader of the cost of a render."""

    limits: WorkspaceLimits
    clock: Clock

    def __call__(self, workspace: Workspace, mode: Mode) -> RenderCost:
        """Return the cost of one render with a key of this mode."""
        item, now = self.limits.get(workspace.id), self.clock.now()
        current = allowance(workspace, item, now)
        left = current.included_left + current.prepaid_left
        if mode == "test":
            return RenderCost(0, left)
        try:
            check_renders_left(workspace, item, now)
        except ServiceError as refusal:
            return RenderCost(1, left, refusal)
        return RenderCost(1, left)
