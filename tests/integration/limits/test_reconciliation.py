"""Reconciliation concurrent with renders that are admitted, finish, settle or die."""

import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from copy import replace
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import ConditionFailed, Table, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import RenderId
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders
from chalicelib.features.renders.rows import row_of
from chalicelib.features.workspaces.limits.model import Reservation
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from tests.builders.stack.concurrent_callers import (
    TABLE,
    UNLIMITED_RATE_PLAN,
    ConcurrentCallers,
    retry_transient,
)
from tests.fakes.api_services import NOW, FixedClock
from tests.fakes.limits_model import DeletedBodies

if TYPE_CHECKING:
    from chalicelib.features.renders.run.bodies import RenderBodies

pytestmark = pytest.mark.integration

RENDERS = 240
RECONCILERS = 3
# The step after which the process dies; "settled" survives, and "twice" settles twice.
ENDS = ("admitted", "made", "finished", "settled", "twice")


@dataclass
class Life:
    """Renders of one workspace; each proceeds to its planned end."""

    clients: AwsClients
    clock: FixedClock = field(default_factory=FixedClock)
    bodies: DeletedBodies = field(default_factory=DeletedBodies)

    def __post_init__(self) -> None:
        self.crowd = ConcurrentCallers(
            self.clients, replace(UNLIMITED_RATE_PLAN, sync_concurrency=400)
        )
        self.table = Table(self.clients, TABLE)
        self.renders = Renders(self.table, self.clock)
        dice = random.Random(11)  # noqa: S311 -- a plan, no secrets
        self.ends = [dice.choice(ENDS) for _ in range(RENDERS)]
        self.billed = [dice.random() < 0.7 for _ in range(RENDERS)]

    def live(self, number: int) -> None:
        """Bring one render to its planned end."""
        end, billed = self.ends[number], self.billed[number]
        claim = self.crowd.reservation_request(number, sync=True)
        code, _, taken = self.crowd.admit(claim)
        assert taken is not None, code
        if end == "admitted":
            return
        render = self.make(claim.render_id, taken)
        if end == "made":
            return
        self.finish(render, billed=billed)
        for _ in range(["finished", "settled", "twice"].index(end)):
            self.crowd.settle(claim, taken, billed=billed)

    def make(self, render_id: RenderId, taken: Reservation) -> Render:
        at = format_rfc3339(NOW)
        made = Render(
            id=render_id,
            workspace_id=self.crowd.workspace.id,
            status="queued",
            mode="sync",
            test=False,
            input={"type": "html"},
            output={"format": "pdf", "formats": None},
            delivery="url",
            expires_in_s=60,
            max_pages=1,
            engine="1",
            reservation=taken,
            created_at=at,
            request_id="r",
        )
        creation = self.renders.creation(made, due_at=None, claimed_until=at)
        # Refused: an earlier attempt succeeded and its answer was lost.
        with suppress(ConditionFailed):
            retry_transient(lambda: self.table.write(creation))
        return made

    def finish(self, render: Render, *, billed: bool) -> None:
        done = replace(render, status="succeeded" if billed else "failed", billed=billed)
        finished = Write(self.table, item=row_of(done) | {"claimed_until": format_rfc3339(NOW)})
        retry_transient(lambda: self.table.write(finished))

    def reconcile(self) -> None:
        limits = WorkspaceLimits(self.table, self.clock)
        bodies = cast("RenderBodies", self.bodies)
        reconcile = ReconcileLimits(
            renders=self.renders,
            limits=limits,
            bodies=bodies,
            handle_due=lambda *_: None,
            reconcile_others=lambda *_: None,
            notify_thresholds=lambda *_: None,
            clock=self.clock,
        )
        retry_transient(lambda: reconcile(self.crowd.workspace.id))

    @contextmanager
    def reconcilers(self) -> Iterator[None]:
        """Reconcile repeatedly in several threads during the block."""
        over = threading.Event()
        failures: list[Exception] = []

        def work() -> None:
            try:
                while not over.is_set():
                    self.reconcile()
            except Exception as failure:  # noqa: BLE001 -- asserted below, in the test's own thread
                failures.append(failure)

        threads = [threading.Thread(target=work) for _ in range(RECONCILERS)]
        for thread in threads:
            thread.start()
        yield
        over.set()
        for thread in threads:
            thread.join()
        assert failures == []

    def ids(self, end: str) -> set[str]:
        return {
            self.crowd.reservation_request(number, sync=True).render_id
            for number in range(RENDERS)
            if self.ends[number] == end
        }


def test_renders_are_settled_once_whatever_fails_and_whoever_settles_first(
    clients: AwsClients,
) -> None:
    life = Life(clients)
    used = sum(
        billed and end not in {"admitted", "made"}
        for billed, end in zip(life.billed, life.ends, strict=True)
    )

    with life.reconcilers():
        life.crowd.run_concurrently(life.live, RENDERS)
    life.reconcile()

    # Young or unfinished renders are not settled.
    item = life.crowd.item
    assert item["holds"].keys() == life.ids("admitted") | life.ids("made") == item["leases"].keys()
    assert item["used"] == used
    assert "due_at" in item

    life.clock.advance(minutes=2, seconds=1)
    with life.reconcilers():
        life.reconcile()
    item = life.crowd.item
    assert item["holds"].keys() == life.ids("made")
    assert {key.object_key.rpartition("/")[2] for key in life.bodies} == life.ids("admitted")

    for number in range(RENDERS):
        if life.ends[number] == "made":
            claim = life.crowd.reservation_request(number, sync=True)
            life.finish(life.make(claim.render_id, Reservation("", has_lease=True)), billed=False)
    with life.reconcilers():
        life.reconcile()
    item = life.crowd.item
    assert (item["holds"], item["leases"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (used, 250_000 - used)
    assert "due_at" not in item
