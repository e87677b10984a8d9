"""Releaser of a workspace: looks at its active batches, and releases items as its plan allows."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import BatchId, WorkspaceId
from chalicelib.features.batches.active import ActiveBatch, active_batches
from chalicelib.features.batches.advance import AdvanceBatch
from chalicelib.features.batches.csv.import_csv import ImportCsv
from chalicelib.features.batches.model import Batch
from chalicelib.features.batches.release.release_step import (
    NoRendersLeftError,
    ReleaseStep,
    StepResult,
)
from chalicelib.features.batches.release.repository import ReleaserLease, ReleaserLeases
from chalicelib.features.batches.repository import Batches
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

# A function goes on for so long; then the next one does.
_TIME_LIMIT: Final = dt.timedelta(seconds=40)
# CSV files are read for so long; then other batches have their turn.
_IMPORT_SLICE: Final = dt.timedelta(seconds=5)
# Until the rate of test renders has more.
_PACE: Final = dt.timedelta(seconds=1)
# With zero retention, of the input of items that wait.
_MAX_UNRETAINED: Final = dt.timedelta(hours=24)


class PassOutcome(NamedTuple):
    """Outcome of one pass over all batches.

    `is_done`: none is active; `is_paced`: the rate of test renders holds items back;
    `is_unfinished`: another look is worth it, since items have ended without a render, or a CSV is
    not read to its end.
    """

    is_done: bool
    is_paced: bool = False
    is_unfinished: bool = False


class Releaser(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Release of all batches of a workspace; idempotent, and one function at a time.

    `wake` sends this function's message after a delay.
    """

    batches: Batches
    leases: ReleaserLeases
    workspaces: Workspaces
    import_csv: ImportCsv
    advance: AdvanceBatch
    release: ReleaseStep
    wake: Callable[[WorkspaceId, dt.timedelta], None]
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId) -> None:
        """Look at the batches until there is nothing to do, or the time is over."""
        until = self.clock.now() + _TIME_LIMIT
        lease = self.leases.take_lease(workspace_id)
        while lease is not None:
            crash_if_armed(CrashPoint.BATCH_LEASED)
            try:
                outcome = self._make_pass(lease, until)
            except Exception:
                with tolerate_transient("a lease stays until it expires"):
                    self.leases.abandon(lease)
                raise
            if not outcome.is_unfinished and self.leases.give_back(lease, is_done=outcome.is_done):
                if outcome.is_paced:
                    self.wake(workspace_id, _PACE)
                return
            lease = self.leases.refresh(lease)
            if lease is not None and self.clock.now() > until:
                self.leases.abandon(lease)
                self.wake(workspace_id, dt.timedelta())
                return

    def _make_pass(self, lease: ReleaserLease, until: dt.datetime) -> PassOutcome:
        """Look at the active batches; raise the first error of one after the others' turn."""
        workspace = self.workspaces.get(lease.workspace_id)
        if workspace is None:
            return PassOutcome(is_done=True)
        import_until = self.clock.now() + _IMPORT_SLICE
        errors: dict[BatchId, Exception] = {}
        active = []
        for each in active_batches(self.batches, lease.workspace_id):
            try:
                active.append(self._advance_one(each, import_until))
            except Exception as error:
                log.exception("batch not advanced", extra={"batch": each.batch.id})
                errors[each.batch.id] = error
                # What it has in flight counts.
                active.append(each)
        unfinished = [each for each in active if not each.batch.is_final]
        is_open = unfinished or any(each.batch.combine.kinds for each in active)
        outcome = PassOutcome(is_done=not is_open)
        if unfinished and workspace.status == "active":
            outcome = self._release_all(lease, workspace, unfinished, until, errors)
        # Of a workspace that is not active they are looked at each minute.
        for first in errors.values():
            raise first
        return outcome

    def _advance_one(self, active: ActiveBatch, import_until: dt.datetime) -> ActiveBatch:
        batch = active.batch
        if batch.zero_retention and self.clock.now() > _last_moment(batch):
            # Items that wait for longer, for renders of the next cycle, are canceled.
            self.batches.request_cancel(batch, format_rfc3339(self.clock.now()))
        try:
            is_importing = batch.is_importing and batch.cancel_requested_at is None
            if is_importing and self.clock.now() < import_until:
                batch = self.import_csv(batch, import_until)
            if batch.is_final and batch.combine.kinds:
                # What is left of its combined files is to be removed.
                self.advance.ask_for_combining(batch)
            elif not batch.is_final:
                batch = self.advance(batch, active.counted)
            return active._replace(batch=batch)
        except ConditionFailed:
            # It was canceled meanwhile, which has sent a message.
            log.info("batch changed", extra={"batch": active.batch.id})
            return active

    def _release_all(
        self,
        lease: ReleaserLease,
        workspace: Workspace,
        active: Sequence[ActiveBatch],
        until: dt.datetime,
        errors: dict[BatchId, Exception],
    ) -> PassOutcome:
        """Fill the room of the plan, the batch with the fewest items in flight first.

        Batches in `errors` are left out; further errors go there.
        """
        room = workspace.plan.bulk_concurrency - sum(each.in_flight for each in active)
        waiting = {
            each.batch.id: each
            for each in active
            if not (each.batch.is_released or each.batch.is_importing or each.batch.id in errors)
        }
        is_importing = any(each.batch.is_importing for each in active)
        outcome = PassOutcome(is_done=False, is_unfinished=is_importing)
        while room > 0 and waiting:
            if self.clock.now() > until:
                return outcome._replace(is_unfinished=True)
            each = min(waiting.values(), key=lambda one: one.in_flight)
            share = -(-room // len(waiting))
            try:
                result = self._step(lease, workspace, each.batch, share, errors)
            except NoRendersLeftError:
                self._pause_live(waiting)
                continue
            if result is None:
                del waiting[each.batch.id]
                continue
            room -= result.renders
            outcome = outcome._replace(
                is_paced=outcome.is_paced or result.is_paced,
                is_unfinished=outcome.is_unfinished or not (result.renders or result.is_paced),
            )
            if result.is_paced:
                # The rate is that of all test renders of the workspace.
                waiting = {key: one for key, one in waiting.items() if not one.batch.test}
            elif result.batch.is_released:
                del waiting[each.batch.id]
            else:
                waiting[each.batch.id] = each._replace(batch=result.batch)
        return outcome

    def _step(
        self,
        lease: ReleaserLease,
        workspace: Workspace,
        batch: Batch,
        room: int,
        errors: dict[BatchId, Exception],
    ) -> StepResult | None:
        """Release a step, or return None if the batch has changed or fails.

        Raises NoRendersLeftError.
        """
        try:
            return self.release(lease, workspace, batch, room)
        except NoRendersLeftError:
            raise
        except ConditionFailed:
            log.info("batch or lease changed", extra={"batch": batch.id})
        except Exception as error:
            log.exception("items not released", extra={"batch": batch.id})
            errors[batch.id] = error
        return None

    def _pause_live(self, waiting: "dict[BatchId, ActiveBatch]") -> None:
        for each in list(waiting.values()):
            if not each.batch.test:
                del waiting[each.batch.id]
                try:
                    self.advance.pause(*each)
                except ConditionFailed:
                    log.info("batch changed", extra={"batch": each.batch.id})


def _last_moment(batch: Batch) -> dt.datetime:
    """Return until when the input of a batch with zero retention may be kept."""
    return parse_rfc3339(batch.created_at) + _MAX_UNRETAINED
