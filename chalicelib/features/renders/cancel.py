"""Cancel a render because its owner asks: one that waits at once, one that runs stops soon."""

from typing import Final

from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.end import EndRender

_NOT_CANCELABLE: Final = "The render is {}; only one that is queued or processing can be canceled."


class CancelRender:
    """Cancels renders; the function that runs one finds out by itself (see StopEnded)."""

    def __init__(self, *, renders: Renders, end: EndRender, clock: Clock) -> None:
        """Build from the renders and what ends them."""
        self._renders = renders
        self._end = end
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId, render_id: RenderId) -> Render:
        """Cancel and return the render; raises `conflict` for one that is final."""
        seen = self._renders.get_with_claim(
            workspace_id, render_id, format_rfc3339(self._clock.now())
        )
        if seen is None:
            raise NotFound("render_not_found", f"There is no render {render_id}.")
        if seen.render.is_final:
            raise Conflict("conflict", _NOT_CANCELABLE.format(seen.render.status))
        # Nobody has a free render; the next attempt may still take it before it is ended.
        running = seen.render.attempt + seen.is_free
        ended = self._end.cancel_by_owner(seen.render, running_attempt=running)
        if ended.status != "canceled":
            raise Conflict("conflict", _NOT_CANCELABLE.format(ended.status))
        return ended
