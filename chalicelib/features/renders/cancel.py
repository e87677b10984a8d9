"""Cancel a render on its owner's request."""

from typing import Final

import msgspec

from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.end import EndRender

_NOT_CANCELABLE: Final = "The render is {}; only one that is queued or processing can be canceled."


class CancelRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Cancellation of renders.

    The function that runs one learns of it from the row (CancellationWatch, decision 13).
    """

    renders: Renders
    end: EndRender
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId, render_id: RenderId) -> Render:
        """Cancel and return the render; raises `render_not_found`, or `conflict` if it is final."""
        claim = self.renders.get_with_claim(
            workspace_id, render_id, format_rfc3339(self.clock.now())
        )
        if claim is None:
            raise NotFound("render_not_found", f"There is no render {render_id}.")
        if claim.render.is_final:
            raise Conflict("conflict", _NOT_CANCELABLE.format(claim.render.status))
        # No attempt runs a free render, but the next one may claim it before this write.
        running_attempt = claim.render.attempt + claim.is_free
        ended = self.end.cancel_by_owner(claim.render, running_attempt=running_attempt)
        if ended.status != "canceled":
            raise Conflict("conflict", _NOT_CANCELABLE.format(ended.status))
        return ended
