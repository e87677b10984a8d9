"""Give back what a final render took of its workspace's limits, or make it a used render."""

from chalicelib.features.renders.model import Render
from chalicelib.features.workspaces.limits_repository import Limits


class SettleRender:
    """Repeatable: what is out of the limits stays out."""

    def __init__(self, limits: Limits) -> None:
        """Settle in these."""
        self._limits = limits

    def __call__(self, render: Render) -> None:
        """Settle a final render."""
        assert render.is_final, render.status
        self._limits.settle(render.workspace_id, render.id, render.taken, billed=render.billed)
