"""Run one attempt of a render: claim it, make the document, finish it."""

import datetime as dt
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.engine.job import Job, Outcome
from chalicelib.engine.options import Output
from chalicelib.features.renders.bodies import Bodies
from chalicelib.features.renders.clear import ClearRender
from chalicelib.features.renders.end import EndRender
from chalicelib.features.renders.finish import FinishRender
from chalicelib.features.renders.model import MAX_ATTEMPTS, Body, Render
from chalicelib.features.renders.protocol import QueuedRender, RunRender
from chalicelib.features.renders.repository import Claimed, Renders

type Engine = Callable[[Job], Outcome]

log = logging.getLogger(__name__)

_LIMIT: Final = {"sync": dt.timedelta(seconds=120), "async": dt.timedelta(seconds=300)}
# Past its limit by this much, a render that is still processing has lost its function.
_GRACE: Final = dt.timedelta(minutes=2)
_AFTER_CALLER_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class Executed:
    """A render as the attempt left it, and the bytes of its files where this attempt made them."""

    render: Render | None
    contents: tuple[bytes, ...] = ()


class ExecuteRender:
    """Runs attempts; `engine` makes documents and knows no tenant."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        renders: Renders,
        bodies: Bodies,
        engine: Engine,
        finish: FinishRender,
        clear: ClearRender,
        end: EndRender,
        clock: Clock,
    ) -> None:
        """Build from the stores and the engine."""
        self._renders = renders
        self._bodies = bodies
        self._engine = engine
        self._finish = finish
        self._clear = clear
        self._end = end
        self._clock = clock

    def now(self, order: RunRender, invocation: str) -> Executed:
        """Run the attempt that the API function asks for."""
        claimed = self._claim(order.workspace_id, order.render_id, order.attempt, invocation)
        if claimed is None or not claimed.mine:
            return self._left_alone(claimed)
        body = order.body or self._bodies.get(_key(claimed.render))
        return self._run(claimed.render, body, order.deadline if order.ends_with_caller else None)

    def queued(self, message: QueuedRender, invocation: str) -> Executed:
        """Run the next attempt of a queued render; what is final is left as it is.

        A render that is still processing when its message comes again has lost its function.
        """
        workspace_id, render_id = message.workspace_id, message.render_id
        claimed = self._claim(workspace_id, render_id, 1, invocation)
        while claimed is not None and not claimed.mine and not claimed.render.is_final:
            attempt = claimed.render.attempt + 1
            if attempt > MAX_ATTEMPTS:
                return Executed(self._end.lost(claimed.render))
            claimed = self._claim(workspace_id, render_id, attempt, invocation)
        if claimed is None or not claimed.mine:
            return self._left_alone(claimed)
        return self._run(claimed.render, self._bodies.get(_key(claimed.render)), None)

    def _claim(
        self,
        workspace_id: WorkspaceId,
        render_id: RenderId,
        attempt: int,
        invocation: str,
    ) -> Claimed | None:
        now = self._clock.now()
        return self._renders.claim(
            workspace_id,
            render_id,
            attempt=attempt,
            claimed_by=invocation,
            at=rfc3339(now),
            due_at=rfc3339(now + _LIMIT["async"] + _GRACE),
        )

    def _left_alone(self, claimed: Claimed | None) -> Executed:
        if claimed is None:
            log.warning("the render is not there")
            return Executed(None)
        if claimed.render.is_final:
            self._clear(claimed.render)
        return Executed(claimed.render)

    def _run(self, render: Render, body: Body, until: float | None) -> Executed:
        limit = (self._clock.now() + _LIMIT[render.mode]).timestamp()
        if until is not None:
            # A little after its caller has canceled it: then nobody needs the document.
            limit = min(limit, until + _AFTER_CALLER_S)
        job = Job(
            html=body.html,
            head=body.head,
            templating=body.templating,
            data=body.data,
            output=Output.from_json(body.output),
            test=render.test,
            deadline=limit,
        )
        try:
            outcome = self._engine(job)
            done = self._finish.succeeded(render, outcome)
        except RenderFailure as failure:
            return Executed(self._finish.failed(render, failure))
        if done.attempt != render.attempt:
            return Executed(done)
        return Executed(done, tuple(produced.content for produced in outcome.files))


def _key(render: Render) -> str:
    assert render.body_key is not None, render.id
    return render.body_key
