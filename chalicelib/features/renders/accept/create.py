"""Accept a render: check it, reserve its share of the limits, and write its row."""

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import replace
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Throttled, Write
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.engine.job import Job
from chalicelib.engine.schemas.check_schemas import WorkspaceSchemas
from chalicelib.features.renders.accept.check_uploads import check_uploads
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.new_render import new_render
from chalicelib.features.renders.accept.resolve_source_files import ResolveSourceFiles
from chalicelib.features.renders.accept.resolve_storage import ResolveStorage
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate, check_data
from chalicelib.features.renders.idempotency.model import (
    Accepted202,
    IdempotencyRecord,
    in_progress_error,
)
from chalicelib.features.renders.idempotency.repository import IdempotencyRecords
from chalicelib.features.renders.model import MAX_ATTEMPTS, Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.run.bodies import RenderBodies, body_key
from chalicelib.features.renders.run.enqueue import DUE_AFTER
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES
from chalicelib.features.templates.sources import VersionChoice
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.webhooks.request_webhook import AcceptRequestWebhook
from chalicelib.features.workspaces.limits.model import (
    EndedHold,
    Hold,
    RateState,
    ReservationRequest,
)
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.service_state.repository import ServiceStates

log = logging.getLogger(__name__)

# 30 s for a free function, 120 s for the render, the rest for storing. If its first function dies,
# the reconciliation of the limits, which has its entry, finds the render free after that.
_SYNC_CLAIM: Final = dt.timedelta(minutes=3)
# The API function that runs a sync render ends by then: a later repeat of the key takes it over.
_MAX_CALLER_WAIT: Final = dt.timedelta(seconds=30)
# Longer than any render; a lease that is not released expires.
_LEASE_DURATION: Final = dt.timedelta(minutes=7)


@dataclass(frozen=True, slots=True)
class AcceptedRender:
    """Accepted render with its job; `render.attempt` is the attempt to make.

    `repeat` is the record of a repeated Idempotency-Key, whose render already has an answer.
    """

    render: Render
    job: Job
    repeat: IdempotencyRecord | None = None


class CreateRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Acceptance of renders; idempotent by key, also after a crash at any line.

    `placed_schemas` are for renders without a lease.
    """

    table: Table
    renders: Renders
    limits: WorkspaceLimits
    idempotency: IdempotencyRecords
    bodies: RenderBodies
    clock: Clock
    ids: IdGenerator
    state: ServiceStates
    templates: ResolveTemplate
    storage: ResolveStorage
    source_files: ResolveSourceFiles
    uploads: ReadUploads
    schemas: WorkspaceSchemas
    placed_schemas: WorkspaceSchemas
    webhooks: AcceptRequestWebhook
    region: str

    def __call__(
        self,
        command: RenderCommand,
        on_rate_counted: Callable[[RateState], object] = lambda _rate: None,
        also: Callable[[RenderId], Sequence[Write]] = lambda _render_id: (),
    ) -> AcceptedRender:
        """Accept a command; `on_rate_counted` gets the rate once the request is counted.

        The writes `also`, only for a command without an Idempotency-Key, are of the transaction
        that creates the render, after its own: the first one has index 1 in ConditionFailed.
        Raises what `check_command`, `check_plan_features`, `ResolveTemplate`, `ResolveStorage`,
        `ResolveSourceFiles`, `check_data`, `check_uploads` and `AcceptRequestWebhook` raise,
        `payload_too_large`, `idempotency_key_reused`, `idempotency_in_progress`, `rate_limited`,
        `concurrency_limited`, `render_limit_reached`, and `region_degraded` or `maintenance` while
        the service takes no renders.
        """
        check_command(command, self.region)
        now = self.clock.now()
        if command.idempotency is not None:
            record = self.idempotency.find(command.idempotency, now)
            if record is not None:
                on_rate_counted(self.limits.count_creation(command.workspace, now))
                return self._answer_repeat(command, record, now)
        self.state.require_normal()
        command = self._resolve(command, command.version)
        self._check_inputs(command)
        render_id = RenderId(self.ids.new("rnd", now))
        request = _reservation_request(command, render_id, now)
        admission = self.limits.admit(request, now)
        on_rate_counted(admission.rate)
        crash_if_armed(CrashPoint.API_ADMITTED)
        render = new_render(command, render_id, admission.reservation, now)
        with self._release_on_error(render):
            # After admission: validating data can take seconds, so the limits must bound it.
            schemas = self.schemas if admission.reservation.has_lease else self.placed_schemas
            check_data(command.job, command.workspace.id, schemas)
        if command.mode == "async" or command.is_large:
            render = self._with_stored_body(render, command.job)
        try:
            self._write(render, [*self._writes(command, render, now), *also(render_id)])
        except ConditionFailed as conflict:
            if command.idempotency is None:
                raise
            return self._repeat_after_conflict(command, conflict, now)
        crash_if_armed(CrashPoint.API_CREATED)
        self._confirm(render, admission.unconfirmed)
        log.info("render accepted", extra={"render": render_id, "mode": render.mode})
        return AcceptedRender(render, command.job)

    def _resolve(self, command: RenderCommand, version: VersionChoice) -> RenderCommand:
        return self.source_files(self.storage(self.templates(command, version)))

    def _check_inputs(self, command: RenderCommand) -> None:
        check_plan_features(command)
        check_uploads(command.job, command.workspace, self.uploads)
        if command.webhook is not None:
            self.webhooks.check(command.webhook, command.key_mode)
            self.webhooks.prepare(command.workspace.id, command.key_mode)
        _check_fits_invocation(command)

    def _with_stored_body(self, render: Render, job: Job) -> Render:
        with self._release_on_error(render, has_stored_body=True):
            key = self.bodies.store(render.workspace_id, render.id, job)
        crash_if_armed(CrashPoint.API_BODY_STORED)
        return replace(render, body_key=key)

    @contextmanager
    def _release_on_error(self, render: Render, *, has_stored_body: bool = False) -> Iterator[None]:
        """Release the reservation of a render that is not created.

        With `has_stored_body` its body is deleted too: a failed call may have stored it.
        """
        try:
            yield
        except Exception:
            # If this fails, reconciliation releases the reservation (decision 2).
            with tolerate_transient("a reservation is not released"):
                if has_stored_body:
                    self.bodies.delete(body_key(render.workspace_id, render.id))
                self._give_back(render)
            raise

    def _write(self, render: Render, writes: Sequence[Write]) -> None:
        """Create a render; if another write refuses it, settle its reservation and raise."""
        try:
            self.table.transact(writes)
        except (ConditionFailed, Throttled) as refused:
            if isinstance(refused, ConditionFailed) and refused.index == 0:
                # The row of a fresh id: this call has written it and lost the response.
                return
            if render.body_key is not None:
                self.bodies.delete(render.body_key)
            self._give_back(render)
            raise

    def _give_back(self, render: Render) -> None:
        """Settle the reservation of a render that has no row, by its entry."""
        hold = Hold(render.reservation.source)
        self.limits.settle(render.workspace_id, [EndedHold(render.id, hold, billed=False)])

    def _confirm(self, render: Render, others: Sequence[str]) -> None:
        """Confirm the new row and, where many entries wait, those of others (decision 2)."""
        rows = [render]
        if others:
            with tolerate_transient("entries of holders are not confirmed"):
                ids = [RenderId(name) for name in others]
                rows += self.renders.get_many(render.workspace_id, ids)
            crash_if_armed(CrashPoint.LIMITS_CONFIRMED)
        self.limits.confirm(
            render.workspace_id, [row.id for row in rows if row.reservation.is_settled_by_relay]
        )

    def _writes(self, command: RenderCommand, render: Render, now: dt.datetime) -> list[Write]:
        is_sync = render.mode == "sync"
        due_at = None if is_sync else format_rfc3339(now + DUE_AFTER)
        claimed_until = format_rfc3339(now + _SYNC_CLAIM) if is_sync else render.created_at
        writes = [self.renders.creation(render, due_at=due_at, claimed_until=claimed_until)]
        if command.idempotency is not None:
            accepted = None if is_sync else Accepted202("queued", None)
            writes.append(self.idempotency.creation(command.idempotency, render.id, now, accepted))
        return writes

    def _repeat_after_conflict(
        self, command: RenderCommand, conflict: ConditionFailed, now: dt.datetime
    ) -> AcceptedRender:
        assert command.idempotency is not None, "a fresh render id was taken"
        record = self.idempotency.read(conflict.item, command.idempotency, now)
        assert record is not None, "the record that refused this one is not there"
        return self._answer_repeat(command, record, now)

    def _answer_repeat(
        self, command: RenderCommand, record: IdempotencyRecord, now: dt.datetime
    ) -> AcceptedRender:
        render = self.renders.get(command.workspace.id, record.render_id)
        assert render is not None, record.render_id
        if record.accepted or render.is_final:
            return AcceptedRender(render, command.job, record)
        next_attempt = self.next_attempt(command, render, now)
        if next_attempt is not None:
            return next_attempt
        raise in_progress_error(render.id)

    def next_attempt(
        self, command: RenderCommand, render: Render, now: dt.datetime
    ) -> AcceptedRender | None:
        """Return the next attempt of a sync render whose API function has died.

        The result is None while that function may still run, or if the render has no attempt left.
        """
        started_at = parse_rfc3339(render.started_at or render.created_at)
        if now <= started_at + _MAX_CALLER_WAIT or render.attempt >= MAX_ATTEMPTS:
            return None
        # Attempt 1 was promised to the first function's invocation (decision 10), so the next
        # attempt is 2 or higher.
        version = render.template_version or command.version
        command = self._resolve(command, version)
        return AcceptedRender(replace(render, attempt=max(2, render.attempt + 1)), command.job)


def _reservation_request(
    command: RenderCommand, render_id: RenderId, now: dt.datetime
) -> ReservationRequest:
    is_sync = command.mode == "sync"
    # Tests of rules are tried again and again, as previews are.
    has_lease = is_sync or command.source == "email_test"
    return ReservationRequest(
        render_id,
        command.workspace,
        test=command.key_mode == "test",
        lease_until=now + _LEASE_DURATION if has_lease else None,
        is_async=not is_sync,
    )


def _check_fits_invocation(command: RenderCommand) -> None:
    """Refuse a body that would need the bucket although nothing may be stored (decision 17)."""
    if command.delivery_policy.zero_retention and command.mode == "sync" and command.is_large:
        raise ServiceError(
            "payload_too_large",
            "With retention none nothing waits in the bucket, and this request is too large to be "
            f"handed on otherwise: at most {MAX_BODY_BYTES} bytes, numbers written in full.",
        )
