"""Accept a render: what it may do, what it takes of the limits, and one transaction."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import replace
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.faults import passed_over
from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.clock import Clock, parse_rfc3339, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import Ids, RenderId
from chalicelib.features.renders.bodies import Bodies, body_key
from chalicelib.features.renders.idempotency import Accepted202, IdempotencyRecords, Record
from chalicelib.features.renders.model import MAX_ATTEMPTS, Body, Render
from chalicelib.features.renders.order import Order, check
from chalicelib.features.renders.plan_features import check_plan
from chalicelib.features.renders.protocol import MAX_BODY_BYTES
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.shown import shown_input, shown_output
from chalicelib.features.renders.templates import PutTemplates, check_data
from chalicelib.features.renders.uploaded import check_uploads
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.limits import Claim, RateState, Taken
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.service_state import ServiceStates

log = logging.getLogger(__name__)

# A sync render waits half a minute for a function at most, and then takes two; the rest is for
# storing. Until then one whose first function died keeps its place in the concurrency of its plan.
_SYNC_DUE: Final = dt.timedelta(minutes=3)
# A queued render that is looked at is sent again: once, or while it waits, makes no difference.
_ASYNC_DUE: Final = dt.timedelta(minutes=1)
# The function that accepted a sync render, or took it over, waits with its caller: no longer.
_ATTENDED: Final = dt.timedelta(seconds=30)
# Longer than a render may take; a lease that nobody gives back runs out by itself.
_LEASE: Final = dt.timedelta(minutes=7)


@dataclass(frozen=True, slots=True)
class Accepted:
    """A render to be run or queued, or as `repeat` the one that a key already stands for.

    Its `attempt` is the one to be made, `body` what it is made from.
    """

    render: Render
    body: Body
    repeat: Record | None = None


class CreateRender:
    """Accepts renders; a repeat, also after a crash at any line, accepts nothing twice."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        limits: Limits,
        idempotency: IdempotencyRecords,
        bodies: Bodies,
        clock: Clock,
        ids: Ids,
        state: ServiceStates,
        templates: PutTemplates,
        uploads: ReadUploads,
        schemas: CheckSchemas,
        region: str,
    ) -> None:
        """Build from the repositories."""
        self._schemas = schemas
        self._tables = tables
        self._renders = renders
        self._limits = limits
        self._idempotency = idempotency
        self._bodies = bodies
        self._clock = clock
        self._ids = ids
        self._state = state
        self._templates = templates
        self._uploads = uploads
        self._region = region

    def __call__(
        self, order: Order, counted: Callable[[RateState], object] = lambda _rate: None
    ) -> Accepted:
        """Accept an order; `counted` is told the rate once it is counted, also of a refused one.

        Raises what `check`, `check_plan`, `PutTemplates`, `check_data` and `check_uploads` raise,
        `payload_too_large`, `idempotency_key_reused`, `rate_limited`, `concurrency_limited`,
        `render_limit_reached`.
        """
        check(order, self._region)
        now = self._clock.now()
        if order.idempotency is not None:
            record = self._idempotency.find(order.idempotency, now)
            if record is not None:
                counted(self._limits.count_request(order.workspace, now))
                return self._repeated(order, record, now)
        self._state.require_normal()
        order = self._templates(order, order.version)
        self._check_made_from(order)
        render_id = RenderId(self._ids.new("rnd", now))
        taken, rate = self._limits.admit(_claim(order, render_id, now), now)
        counted(rate)
        here(CrashPoint.API_ADMITTED)
        render = _render(order, render_id, taken, now)
        with self._giving_back(render):
            # Takes seconds, which nobody is let use without limit.
            check_data(order.body, self._schemas)
        if order.mode == "async" or order.is_large:
            render = self._with_body(render, order.body)
        try:
            self._tables.transact(self._writes(order, render, now))
        except ConditionFailed as lost:
            # A refused render row is this very one, written by a call whose answer was lost.
            if lost.index != 0:
                if render.body_key is not None:
                    self._bodies.delete(render.body_key)
                self._limits.settle(order.workspace.id, render_id, taken, billed=False)
                return self._lost(order, lost, now)
        here(CrashPoint.API_CREATED)
        log.info("render accepted", extra={"render": render_id, "mode": render.mode})
        return Accepted(render, order.body)

    def _check_made_from(self, order: Order) -> None:
        check_plan(order)
        check_uploads(order.body, order.workspace.id, self._uploads)
        _check_stays_in_memory(order)

    def _with_body(self, render: Render, body: Body) -> Render:
        with self._giving_back(render, body=True):
            key = self._bodies.keep(render.workspace_id, render.id, body)
        here(CrashPoint.API_BODY_KEPT)
        return replace(render, body_key=key)

    @contextmanager
    def _giving_back(self, render: Render, *, body: bool = False) -> Iterator[None]:
        """Give back what a render has taken where none comes of it, for whatever reason.

        `body`: its body may have been kept by a call that failed all the same.
        """
        try:
            yield
        except Exception:
            # Else it is given back when the limits are next compared with their renders.
            with passed_over("not given back"):
                if body:
                    self._bodies.delete(body_key(render.workspace_id, render.id))
                self._limits.settle(render.workspace_id, render.id, render.taken, billed=False)
            raise

    def _writes(self, order: Order, render: Render, now: dt.datetime) -> list[Write]:
        is_sync = render.mode == "sync"
        due = rfc3339(now + (_SYNC_DUE if is_sync else _ASYNC_DUE))
        held = due if is_sync else render.created_at
        writes = [self._renders.creation(render, due_at=due, held_until=held)]
        if order.idempotency is not None:
            accepted = None if is_sync else Accepted202("queued", None)
            writes.append(self._idempotency.creation(order.idempotency, render.id, now, accepted))
        return writes

    def _lost(self, order: Order, lost: ConditionFailed, now: dt.datetime) -> Accepted:
        assert order.idempotency is not None, "a fresh render id was taken"
        record = self._idempotency.read(lost.item, order.idempotency, now)
        assert record is not None, "the record that refused this one is not there"
        return self._repeated(order, record, now)

    def _repeated(self, order: Order, record: Record, now: dt.datetime) -> Accepted:
        render = self._renders.get(order.workspace.id, record.render_id)
        assert render is not None, record.render_id
        if record.accepted or render.is_final:
            return Accepted(render, order.body, record)
        begun = parse_rfc3339(render.started_at or render.created_at)
        if now > begun + _ATTENDED and render.attempt < MAX_ATTEMPTS:
            # Whoever waited for it has died: this caller waits in their place. The first attempt
            # was theirs to give away.
            order = self._templates(order, render.template_version or order.version)
            return Accepted(replace(render, attempt=max(2, render.attempt + 1)), order.body)
        raise ServiceError(
            "idempotency_in_progress",
            "The first request with this Idempotency-Key is still running. Send it again "
            "with the same key after a pause.",
            headers={"Retry-After": "1"},
            render_id=render.id,
        )


def _claim(order: Order, render_id: RenderId, now: dt.datetime) -> Claim:
    lease_until = now + _LEASE if order.mode == "sync" else None
    return Claim(render_id, order.workspace, order.key_mode == "test", lease_until)


def _check_stays_in_memory(order: Order) -> None:
    """Refuse what would have to wait in the bucket although nothing of it may be kept."""
    if order.terms.zero_retention and order.mode == "sync" and order.is_large:
        raise ServiceError(
            "payload_too_large",
            "With retention none nothing waits in the bucket, and this request is too large to be "
            f"handed on otherwise: at most {MAX_BODY_BYTES} bytes, numbers written in full.",
        )


def _render(order: Order, render_id: RenderId, taken: Taken, now: dt.datetime) -> Render:
    return Render(
        id=render_id,
        workspace_id=order.workspace.id,
        status="queued",
        mode=order.mode,
        test=order.key_mode == "test",
        input=shown_input(order.body.input, zero_retention=order.terms.zero_retention),
        output=shown_output(order.body.output, zero_retention=order.terms.zero_retention),
        delivery=order.terms.type,
        expires_in_s=order.terms.expires_in_s,
        hosted=order.terms.hosted,
        zero_retention=order.terms.zero_retention,
        retention_days=order.terms.retention_days,
        max_pages=order.max_pages,
        engine=order.chosen_engine,
        taken=taken,
        created_at=rfc3339(now),
        request_id=order.request_id,
        # The first attempt of a sync render is promised to the invocation that follows.
        attempt=1 if order.mode == "sync" else 0,
        reference=order.reference,
        metadata=order.metadata,
        priority=order.priority,
        template_id=order.template_id,
        template_version=order.template_version,
    )
