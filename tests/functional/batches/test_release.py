"""Release of items: the window of a workspace, turns of its batches, rate and quota."""

from typing import Any

import pytest

from chalicelib.features.workspaces.change import WorkspaceChanges
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.batches import (
    ChangePlan,
    batch_at,
    batch_events,
    cancel_batch,
    counts_of,
    items_at,
    keep_limits,
    make_batch,
    published_template,
    statuses_at,
    use_new_workspace,
)
from tests.builders.service import Service


def in_flight(service: Service, *paths: str) -> int:
    return sum(status == "queued" for path in paths for status in statuses_at(service, path))


def pass_minute(service: Service) -> None:
    service.clock.advance(seconds=61)
    service.tick()
    service.run_batches()


@pytest.mark.parametrize("most", [1, 2, 5])
def test_window_holds_over_all_batches_of_a_workspace(
    service: Service, change_plan: ChangePlan, most: int
) -> None:
    change_plan(bulk_concurrency=most)
    template_id = published_template(service)
    paths = [make_batch(service, count, template_id=template_id) for count in (5, 3)]
    seen: list[int] = []

    service.run_batches(lambda: seen.append(in_flight(service, *paths)))

    assert max(seen) == most
    assert [batch_at(service, path)["succeeded"] for path in paths] == [5, 3]
    assert len(service.engine.jobs) == 8


def test_batches_take_turns(service: Service, change_plan: ChangePlan) -> None:
    change_plan(bulk_concurrency=5)
    template_id = published_template(service)
    large = make_batch(service, 8, template_id=template_id)
    service.clock.advance(seconds=1)
    small = make_batch(service, 4, template_id=template_id)

    service.release_batches()
    assert (in_flight(service, large), in_flight(service, small)) == (3, 2)

    service.run_queued("BatchItems")
    service.relay_events()
    service.release_batches()

    assert in_flight(service, large, small) == 5
    assert in_flight(service, small) == 2


def test_other_workspaces_do_not_count(service: Service, change_plan: ChangePlan) -> None:
    change_plan(bulk_concurrency=2)
    make_batch(service, 3)
    use_new_workspace(service)
    path = make_batch(service, 3)

    for _ in range(2):
        service.release_batches()

    assert in_flight(service, path) == 2
    assert service.waiting("BatchItems") == 4


def test_repeated_messages_release_nothing_twice(service: Service) -> None:
    path = make_batch(service, 12)
    for _ in range(3):
        service.services.batches.wake(service.workspace)
    service.release_batches()
    service.services.batches.wake(service.workspace)
    service.run_batches()
    service.services.batches.wake(service.workspace)
    service.run_batches()

    assert counts_of(batch_at(service, path)) == (12, 0, 0, 0)
    assert len(service.engine.jobs) == 12
    assert service.limits()["used"] == 12


def test_lost_messages_are_made_up_by_the_tick(service: Service) -> None:
    path = make_batch(service, 3)
    service.run_batch("Batches", lambda _lost: {"batchItemFailures": []})
    service.run_batches()
    assert statuses_at(service, path) == ["pending"] * 3

    pass_minute(service)

    assert batch_at(service, path)["status"] == "completed"


def test_rate_of_test_renders_paces_and_fails_nothing(
    service: Service, change_plan: ChangePlan
) -> None:
    change_plan(test_renders_per_minute=10)
    path = make_batch(service, 15, key=service.test)

    service.run_batches()

    assert counts_of(batch_at(service, path)) == (10, 0, 0, 5)
    assert batch_at(service, path)["paused"] is None
    pass_minute(service)
    assert counts_of(batch_at(service, path)) == (15, 0, 0, 0)
    assert batch_at(service, path)["status"] == "completed"
    assert service.limits()["used"] == 0


@pytest.fixture
def starter(service: Service, change_plan: ChangePlan) -> None:
    """Go on in a workspace with five items at once."""
    change_plan("starter", rate_limit_rps=100)
    use_new_workspace(service, "starter")


def paused_batch(service: Service, *, left: int = 3) -> str:
    """Return a batch of five items of a workspace that has fewer renders left."""
    included = PLANS["starter"].included_renders
    path = make_batch(service, 5)
    keep_limits(service, quota_left=left, used=included - left)
    service.release_batches()
    return path


@pytest.mark.usefixtures("starter")
def test_batch_without_renders_left_pauses(service: Service) -> None:
    path = paused_batch(service)

    batch = batch_at(service, path)
    assert (batch["status"], counts_of(batch)) == ("processing", (0, 0, 0, 5))
    assert batch["paused"] == {
        "reason": "render_limit_reached",
        "since": "2026-11-21T12:00:00.000Z",
    }
    assert statuses_at(service, path) == ["queued"] * 3 + ["pending"] * 2

    # What is in flight ends.
    service.run_batches()
    for _ in range(2):
        pass_minute(service)

    batch = batch_at(service, path)
    assert counts_of(batch) == (3, 0, 0, 2)
    assert batch["paused"]["since"] == "2026-11-21T12:00:00.000Z"
    pauses = [row for row in batch_events(service, path) if row["detail"]["paused"]]
    assert [row["type"] for row in pauses] == ["batch.progress"] * 2
    assert sorted(row["detail"]["succeeded"] for row in pauses) == [0, 3]


@pytest.mark.usefixtures("starter")
def test_paused_batch_resumes_with_new_renders(service: Service) -> None:
    path = paused_batch(service)
    service.run_batches()
    service.operator.change_workspace(service.workspace, WorkspaceChanges(packs=1))

    pass_minute(service)

    batch = batch_at(service, path)
    assert (batch["status"], batch["paused"], counts_of(batch)) == ("completed", None, (5, 0, 0, 0))
    assert [row["type"] for row in batch_events(service, path)].count("batch.completed") == 1


@pytest.mark.usefixtures("starter")
def test_paused_batch_resumes_in_the_next_cycle(service: Service) -> None:
    path = paused_batch(service)
    service.run_batches()
    service.clock.advance(days=31)

    pass_minute(service)

    assert batch_at(service, path)["status"] == "completed"


@pytest.mark.usefixtures("starter")
def test_paused_batch_resumes_with_a_larger_plan(service: Service) -> None:
    path = paused_batch(service)
    service.run_batches()
    service.operator.change_workspace(service.workspace, WorkspaceChanges(plan="growth"))

    pass_minute(service)

    assert batch_at(service, path)["status"] == "completed"


@pytest.mark.usefixtures("starter")
def test_each_pause_has_one_event(service: Service) -> None:
    path = paused_batch(service, left=0)
    assert [row["type"] for row in batch_events(service, path)] == ["batch.progress"]
    pass_minute(service)
    assert len(batch_events(service, path)) == 1

    keep_limits(service, quota_left=1)
    pass_minute(service)

    # Two tenths are one item of five: an advance, and a second pause.
    batch = batch_at(service, path)
    assert (counts_of(batch), batch["paused"] is None) == ((1, 0, 0, 4), False)
    types = [row["type"] for row in batch_events(service, path)]
    assert types == ["batch.progress"] * 3


@pytest.mark.usefixtures("starter")
def test_test_batches_go_on_while_live_ones_are_paused(service: Service) -> None:
    path = paused_batch(service, left=0)
    test = make_batch(service, 4, template_id=published_template(service), key=service.test)

    service.run_batches()

    assert batch_at(service, test)["status"] == "completed"
    assert counts_of(batch_at(service, path)) == (0, 0, 0, 5)


@pytest.mark.usefixtures("starter")
def test_paused_batch_can_be_canceled(service: Service) -> None:
    path = paused_batch(service)
    service.run_queued("BatchItems")

    batch = cancel_batch(service, path, service.run_batches).json

    assert (batch["status"], batch["paused"], counts_of(batch)) == ("canceled", None, (3, 0, 2, 0))


def settled(service: Service) -> dict[str, Any]:
    """Return what the limits item says when reconciliation has looked at it."""
    service.clock.advance(minutes=6)
    service.tick()
    for _ in range(3):
        service.run_maintenance()
        service.relay_events()
    return service.operator.limits.get(service.workspace)


@pytest.mark.usefixtures("starter")
def test_quota_is_settled_when_a_batch_has_ended(service: Service) -> None:
    template_id = published_template(service)
    path = make_batch(service, 7, template_id=template_id)

    def fail_third(job: Any) -> None:
        if job.data["n"] == 3:
            service.engine.page_count = 5_000
        else:
            service.engine.page_count = 2

    service.engine.before_run = fail_third
    service.run_batches()

    limits = settled(service)
    assert counts_of(batch_at(service, path)) == (6, 1, 0, 0)
    assert limits["used"] == 6
    assert limits["quota_left"] == PLANS["starter"].included_renders - 6
    assert limits["leases"] == {}


def test_usage_counts_items(service: Service) -> None:
    template_id = published_template(service)
    path = make_batch(service, 4, template_id=template_id)
    make_batch(service, 2, template_id=template_id, key=service.test)
    service.run_batches()

    usage = service.call("GET", "/v1/usage").json

    assert usage["days"] == [{"date": "2026-11-21", "live": 4, "test": 2, "failed": 0}]
    assert usage["by_template"] == [{"template_id": template_id, "live": 4, "test": 2, "failed": 0}]
    billed = [
        service.call("GET", f"/v1/renders/{item['render_id']}").json["billed"]
        for item in items_at(service, path)
    ]
    assert billed == [True] * 4
