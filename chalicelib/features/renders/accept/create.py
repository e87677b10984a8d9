"""Accept a render: what it may do, what it takes of the limits, and one transaction."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import replace
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.redact_request import redacted_input, redacted_output
from chalicelib.features.renders.accept.templates import ResolveTemplate, check_data
from chalicelib.features.renders.accept.uploads import check_uploads
from chalicelib.features.renders.idempotency import (
    Accepted202,
    IdempotencyRecord,
    IdempotencyRecords,
)
from chalicelib.features.renders.model import MAX_ATTEMPTS, Render, RenderBody
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies, body_key
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.limits.model import RateState, Reservation, ReservationRequest
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.service_state import ServiceStates

log = logging.getLogger(__name__)

# A sync render waits half a minute for a function at most, and then takes two; the rest is for
# storing. Until then one whose first function died keeps its place in the concurrency of its plan.
_SYNC_DUE_AFTER: Final = dt.timedelta(minutes=3)
# A queued render that is looked at is sent again: once, or while it waits, makes no difference.
_ASYNC_DUE_AFTER: Final = dt.timedelta(minutes=1)
# The function that accepted a sync render, or took it over, waits with its caller: no longer.
_MAX_CALLER_WAIT: Final = dt.timedelta(seconds=30)
# Longer than a render may take; a lease that nobody gives back runs out by itself.
_LEASE_DURATION: Final = dt.timedelta(minutes=7)


@dataclass(frozen=True, slots=True)
class AcceptedRender:
    """A render to be run or queued, or as `repeat` the one that a key already stands for.

    Its `attempt` is the one to be made, `body` what it is made from.
    """

    render: Render
    body: RenderBody
    repeat: IdempotencyRecord | None = None


class CreateRender:
    """Accepts renders; a repeat, also after a crash at any line, accepts nothing twice."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        renders: Renders,
        limits: WorkspaceLimits,
        idempotency: IdempotencyRecords,
        bodies: RenderBodies,
        clock: Clock,
        ids: IdGenerator,
        state: ServiceStates,
        templates: ResolveTemplate,
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
        self,
        command: RenderCommand,
        on_rate_counted: Callable[[RateState], object] = lambda _rate: None,
    ) -> AcceptedRender:
        """Accept an order; `counted` is told the rate once it is counted, also of a refused one.

        Raises what `check`, `check_plan`, `PutTemplates`, `check_data` and `check_uploads` raise,
        `payload_too_large`, `idempotency_key_reused`, `rate_limited`, `concurrency_limited`,
        `render_limit_reached`.
        """
        check_command(command, self._region)
        now = self._clock.now()
        if command.idempotency is not None:
            record = self._idempotency.find(command.idempotency, now)
            if record is not None:
                on_rate_counted(self._limits.count_request(command.workspace, now))
                return self._answer_repeat(command, record, now)
        self._state.require_normal()
        command = self._templates(command, command.version)
        self._check_inputs(command)
        render_id = RenderId(self._ids.new("rnd", now))
        taken, rate = self._limits.admit(_reservation_request(command, render_id, now), now)
        on_rate_counted(rate)
        crash_if_armed(CrashPoint.API_ADMITTED)
        render = _new_render(command, render_id, taken, now)
        with self._release_on_error(render):
            # Takes seconds, which nobody is let use without limit.
            check_data(command.body, self._schemas)
        if command.mode == "async" or command.is_large:
            render = self._with_stored_body(render, command.body)
        try:
            self._tables.transact(self._writes(command, render, now))
        except ConditionFailed as lost:
            # A refused render row is this very one, written by a call whose answer was lost.
            if lost.index != 0:
                if render.body_key is not None:
                    self._bodies.delete(render.body_key)
                self._limits.settle(command.workspace.id, render_id, taken, billed=False)
                return self._repeat_after_conflict(command, lost, now)
        crash_if_armed(CrashPoint.API_CREATED)
        log.info("render accepted", extra={"render": render_id, "mode": render.mode})
        return AcceptedRender(render, command.body)

    def _check_inputs(self, command: RenderCommand) -> None:
        check_plan_features(command)
        check_uploads(command.body, command.workspace.id, self._uploads)
        _check_fits_invocation(command)

    def _with_stored_body(self, render: Render, body: RenderBody) -> Render:
        with self._release_on_error(render, has_stored_body=True):
            key = self._bodies.store(render.workspace_id, render.id, body)
        crash_if_armed(CrashPoint.API_BODY_STORED)
        return replace(render, body_key=key)

    @contextmanager
    def _release_on_error(self, render: Render, *, has_stored_body: bool = False) -> Iterator[None]:
        """Give back what a render has taken where none comes of it, for whatever reason.

        `has_stored_body`: its body may have been kept by a call that failed all the same.
        """
        try:
            yield
        except Exception:
            # Else it is given back when the limits are next compared with their renders.
            with tolerate_transient("not given back"):
                if has_stored_body:
                    self._bodies.delete(body_key(render.workspace_id, render.id))
                self._limits.settle(
                    render.workspace_id, render.id, render.reservation, billed=False
                )
            raise

    def _writes(self, command: RenderCommand, render: Render, now: dt.datetime) -> list[Write]:
        is_sync = render.mode == "sync"
        due = format_rfc3339(now + (_SYNC_DUE_AFTER if is_sync else _ASYNC_DUE_AFTER))
        held = due if is_sync else render.created_at
        writes = [self._renders.creation(render, due_at=due, claimed_until=held)]
        if command.idempotency is not None:
            accepted = None if is_sync else Accepted202("queued", None)
            writes.append(self._idempotency.creation(command.idempotency, render.id, now, accepted))
        return writes

    def _repeat_after_conflict(
        self, command: RenderCommand, conflict: ConditionFailed, now: dt.datetime
    ) -> AcceptedRender:
        assert command.idempotency is not None, "a fresh render id was taken"
        record = self._idempotency.read(conflict.item, command.idempotency, now)
        assert record is not None, "the record that refused this one is not there"
        return self._answer_repeat(command, record, now)

    def _answer_repeat(
        self, command: RenderCommand, record: IdempotencyRecord, now: dt.datetime
    ) -> AcceptedRender:
        render = self._renders.get(command.workspace.id, record.render_id)
        assert render is not None, record.render_id
        if record.accepted or render.is_final:
            return AcceptedRender(render, command.body, record)
        begun = parse_rfc3339(render.started_at or render.created_at)
        if now > begun + _MAX_CALLER_WAIT and render.attempt < MAX_ATTEMPTS:
            # Whoever waited for it has died: this caller waits in their place. The first attempt
            # was theirs to give away.
            command = self._templates(command, render.template_version or command.version)
            return AcceptedRender(replace(render, attempt=max(2, render.attempt + 1)), command.body)
        raise ServiceError(
            "idempotency_in_progress",
            "The first request with this Idempotency-Key is still running. Send it again "
            "with the same key after a pause.",
            headers={"Retry-After": "1"},
            render_id=render.id,
        )


def _reservation_request(
    command: RenderCommand, render_id: RenderId, now: dt.datetime
) -> ReservationRequest:
    lease_until = now + _LEASE_DURATION if command.mode == "sync" else None
    return ReservationRequest(render_id, command.workspace, command.key_mode == "test", lease_until)


def _check_fits_invocation(command: RenderCommand) -> None:
    """Refuse what would have to wait in the bucket although nothing of it may be kept."""
    if command.delivery_policy.zero_retention and command.mode == "sync" and command.is_large:
        raise ServiceError(
            "payload_too_large",
            "With retention none nothing waits in the bucket, and this request is too large to be "
            f"handed on otherwise: at most {MAX_BODY_BYTES} bytes, numbers written in full.",
        )


def _new_render(
    command: RenderCommand, render_id: RenderId, reservation: Reservation, now: dt.datetime
) -> Render:
    return Render(
        id=render_id,
        workspace_id=command.workspace.id,
        status="queued",
        mode=command.mode,
        test=command.key_mode == "test",
        input=redacted_input(
            command.body.input, zero_retention=command.delivery_policy.zero_retention
        ),
        output=redacted_output(
            command.body.output, zero_retention=command.delivery_policy.zero_retention
        ),
        delivery=command.delivery_policy.type,
        expires_in_s=command.delivery_policy.expires_in_s,
        hosted=command.delivery_policy.hosted,
        zero_retention=command.delivery_policy.zero_retention,
        retention_days=command.delivery_policy.retention_days,
        max_pages=command.max_pages,
        engine=command.chosen_engine,
        reservation=reservation,
        created_at=format_rfc3339(now),
        request_id=command.request_id,
        # The first attempt of a sync render is promised to the invocation that follows.
        attempt=1 if command.mode == "sync" else 0,
        reference=command.reference,
        metadata=command.metadata,
        priority=command.priority,
        template_id=command.template_id,
        template_version=command.template_version,
    )
