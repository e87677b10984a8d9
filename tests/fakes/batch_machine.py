"""Batches of a service whose functions die and whose tables lose answers and conflict."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast, override

from hypothesis.stateful import RuleBasedStateMachine, invariant

from chalicelib.adapters.aws.table import ItemCodec, Row, Write
from chalicelib.core.crash_points import CrashPoint
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import RenderId
from chalicelib.engine.job import EngineJob, PageJob
from chalicelib.features.batches.cancel import CancelBatch
from chalicelib.features.batches.model import Counted
from chalicelib.features.batches.release.repository import release_item
from chalicelib.features.batches.rows import batch_of, items_partition, partition
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.protocol import QueuedRender
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.batches import make_batch, published_template
from tests.builders.crash.batch_invariants import (
    BatchEnd,
    BatchRows,
    batch_faults,
    limits_faults,
    object_faults,
)
from tests.builders.http import ApiAnswer
from tests.builders.in_process_aws import MotoAws
from tests.builders.service import Service
from tests.fakes.fault_injector import FaultInjector
from tests.fakes.mortal_functions import mortal_functions
from tests.fakes.unreliable_dynamodb import UnreliableDynamodb

# It releases five items at once.
PLAN = "starter"
_UNFINISHED = {"queued", "processing"}
_MOMENT = dt.timedelta(milliseconds=1)


class BatchMachine(RuleBasedStateMachine):
    """One workspace, beside the answers that its callers got."""

    def __init__(self, aws: MotoAws, points: Path) -> None:
        super().__init__()
        self.service = Service(aws)
        self.service.workspace = self.service.create_workspace(PLAN)
        self.service.live = self.service.key("live")
        self.template = published_template(self.service)
        self.dynamodb = UnreliableDynamodb(self.service.clients.dynamodb, FaultInjector(0, {}))
        self._dying = mortal_functions(self.service, points)
        self.functions = self._dying.__enter__()
        self.service.clients.dynamodb = cast("Any", self.dynamodb)
        self.service.engine.before_run = self.fail_some
        self.failing: set[int] = set()
        self.allowance = PLANS[PLAN].included_renders
        self.batches: list[str] = []
        self.canceled: set[str] = set()
        self.canceled_renders: set[str] = set()
        self.runs: Counter[str] = Counter()

    def fail_some(self, job: EngineJob) -> None:
        """Fail the items that fail now."""
        data = cast("PageJob", job).data
        if data is not None and data["n"] in self.failing:
            raise RenderFailure("template_runtime_error", "fails")

    def rows(self) -> BatchRows:
        """Return all rows of the workspace."""
        codec, name = ItemCodec(), self.service.settings.main_table
        pages = self.service.clients.dynamodb.get_paginator("scan").paginate(TableName=name)
        rows = [codec.decode(row) for page in pages for row in page["Items"]]
        own = [row for row in rows if self.service.workspace in str(row["PK"])]
        return BatchRows(own, self.service.workspace)

    def run(self, function: Callable[[], object], dies_at: CrashPoint | None) -> bool:
        """Run a function that may die at a crash point, and tell whether it has."""
        self.service.clock.moment += _MOMENT
        if dies_at is not None:
            return self.functions.has_died(function, dies_at)
        assert function() in ([], None)
        return False

    def add_batch(self, count: int) -> None:
        """Create a batch."""
        self.service.clock.advance(seconds=1)
        path = make_batch(self.service, count, template_id=self.template)
        self.batches.append(path.rpartition("/")[2])
        self.runs[self.batches[-1]] = 1

    def call(self, method: str, path: str) -> ApiAnswer:
        """Send a request when the rate allows it."""
        self.service.clock.advance(seconds=1)
        return self.service.call(method, path)

    def cancel(self, row: Row) -> None:
        """Cancel a batch; its caller waits in vain."""

        def wait(_: float) -> None:
            self.service.clock.advance(seconds=6)

        services = self.service.services
        cancel = CancelBatch(
            batches=services.state.batch_stores.batches,
            wake=services.batches.wake,
            sleep=wait,
            clock=self.service.clock,
        )
        cancel(batch_of(row))
        self.canceled.add(row["id"])

    def serve(self, render: Row) -> None:
        """Let the render function have a message of an item."""
        message = QueuedRender(self.service.workspace, RenderId(render["id"]), "req_1")
        record = {
            "messageId": f"m{next(self.service.calls)}",
            "receiptHandle": "r",
            "body": json.dumps(message.to_json()),
            "attributes": {"ApproximateReceiveCount": "1"},
            "eventSourceARN": self.service.resources["BatchItemsQueue"]["Ref"],
        }
        self.service.serve({"Records": [record]}, f"delivery-{next(self.service.calls)}")

    def wake(self) -> None:
        """Send a message to the releaser once more."""
        item = release_item(self.service.workspace)
        self.service.send("Batches", json.dumps(item.to_json()))

    def set_renders_left(self, left: int) -> None:
        """Set how many renders are left."""
        (item,) = self.rows().of(f"WS#{self.service.workspace}#LIM", "META")
        self.allowance += left - item["quota_left"]
        self.service.main_table.write(
            Write(
                self.service.main_table,
                key={"PK": item["PK"], "SK": "META"},
                update="SET quota_left = :left",
                values={":left": left},
            )
        )

    def pass_time(self, **time: float) -> None:
        """Let time pass, and let functions do the items that are due then."""
        self.service.clock.advance(**time)
        self.service.tick()
        while self.service.waiting("Maintenance"):
            assert self.service.run_maintenance() == []

    @invariant()
    def limits_are_kept_and_counters_equal_the_items(self) -> None:
        rows = self.rows()
        in_flight = [row for row in rows.renders if row["status"] in _UNFINISHED]
        assert len(in_flight) <= PLANS[PLAN].bulk_concurrency
        (item,) = rows.of(f"WS#{self.service.workspace}#LIM", "META")
        assert item["quota_left"] >= 0
        for row in rows.batches:
            batch = batch_of(row)
            items = rows.of(items_partition(batch.key, 0), "ITEM#")
            counted = Counted.of_rows(rows.of(partition(batch.key), "COUNT#"), batch.run)
            statuses = Counter(item["status"] for item in items if item["run"] == batch.run)
            assert counted.run == tuple(statuses[name] for name in counted.run._fields)
            assert batch.released - counted.ended == statuses["queued"]
            released = {render_of(each).batch_index for each in _of(rows, batch.id)}
            assert released == {item["index"] for item in items}

    @override
    def teardown(self) -> None:
        try:
            self.finish()
        finally:
            self.dynamodb.faults.is_on = False
            self._dying.__exit__(None, None, None)

    def finish(self) -> None:
        """Let every batch end, and retry failed items; then nothing fails any more."""
        self.set_renders_left(200)
        self.end_all()
        self.failing = set()
        for row in self.rows().batches:
            counts = batch_of(row).counts
            if row["status"] == "completed" and counts is not None and counts.failed:
                self.runs[row["id"]] += 1
                answer = self.call("POST", f"/v1/batches/{row['id']}/retry-failed")
                assert answer.status == 202, answer.body
        self.end_all()
        for render in self.rows().renders:
            assert (render["id"] in self.canceled_renders) <= (render["status"] == "canceled")

    def end_all(self) -> None:
        """Let time pass until every batch has ended."""
        found: Sequence[str] = ["not begun"]
        for _ in range(20):
            self.pass_time(minutes=6)
            self.service.run_batches()
            found = self.faults()
            if not found:
                return
        assert found == []

    def faults(self) -> list[str]:
        """Return open work, and the broken invariants."""
        rows = self.rows()
        ends = [self.end_of(row) for row in rows.batches]
        return [
            *batch_faults(rows, ends),
            *limits_faults(rows, self.allowance),
            *object_faults(rows, self.service.objects()),
        ]

    def end_of(self, row: Row) -> BatchEnd:
        """Return the end that a batch must have."""
        is_canceled = row["id"] in self.canceled
        return BatchEnd(None, "canceled" if is_canceled else "completed", self.runs[row["id"]])


def _of(rows: BatchRows, batch_id: str) -> Sequence[Row]:
    return [row for row in rows.renders if row.get("batch_id") == batch_id]
