"""Functions killed over batches: no item is lost, made twice, billed twice or told twice."""

from collections.abc import Iterator

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.batch_invariants import BatchEnd
from tests.builders.crash.batches import CrashBatches
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.stack.stores import PAST

ACCEPT = (P.BATCH_ANNOUNCED, P.BATCH_STORED, P.BATCH_ACCEPTED)
# The numbers of hits: the first one, and the second one after that.
RELEASE = (
    (P.BATCH_LEASED, "1 2"),
    (P.BATCH_RESERVED, "1 2"),
    (P.BATCH_RELEASED, "1 2"),
    (P.BATCH_ENQUEUED, "1 2"),
    (P.BATCH_PROGRESSED, "1 1"),
    (P.BATCH_ENDED, "1"),
)
# What an item passes after its release.
ITEM = (
    (P.RENDER_CLAIMED, "1 1"),
    (P.RENDER_FINISHED, "1 1"),
    (P.RELAY_PUBLISHED, "1 1"),
    (P.LIMITS_FOLDED, "1 1"),
    (P.RELAY_FOLLOWED_UP, "1 1"),
)
CANCEL = ((P.BATCH_ITEM_CANCELED, "1 1"), (P.API_ENDED, "1 1"), (P.BATCH_ENDED, "1"))
RESUME = (P.BATCH_RESERVED, P.BATCH_RELEASED)


def name_of(value: P | str) -> str:
    return value.name if isinstance(value, P) else value


@pytest.fixture
def crash(stack: ServiceStack) -> Iterator[CrashBatches]:
    made = CrashBatches(stack)
    yield made
    made.settle(stack.stores.message_counts)


def test_every_crash_point_of_batches_is_covered() -> None:
    killed = {*ACCEPT, *(point for point, _ in (*RELEASE, *ITEM, *CANCEL))}
    killed |= {P.BATCH_PAUSED, P.BATCH_CANCEL_WRITTEN, P.BATCH_RETRIED, P.BATCH_ERASED}

    # test_batch_files.py kills over the files of batches.
    assert {point for point in killed if point.name.startswith("BATCH_")} == {
        point for point in P if P.BATCH_ANNOUNCED <= point < P.BATCH_CHUNK_STORED
    }


@pytest.mark.parametrize("key", ["", "k1"], ids=["without_key", "with_key"])
def test_repeated_request_makes_one_batch_of_each_accepted_one(
    crash: CrashBatches, key: str
) -> None:
    sent = {"json": crash.body(6), "headers": {"Idempotency-Key": key} if key else {}}
    for point in ACCEPT:
        crash.call_killed(point, "POST", "/batches", **sent)

    crash.call("POST", "/batches", **sent)

    armed = crash.arm(P.BATCH_ERASED)
    crash.end(*[BatchEnd((6, 0, 0))] * (1 if key else 2), armed=armed)


@pytest.mark.parametrize(("point", "hits"), RELEASE, ids=name_of)
def test_batch_ends_after_its_releaser_died(crash: CrashBatches, point: P, hits: str) -> None:
    crash.repeats_messages = True
    armed = crash.arm(point, hits)

    crash.make(12, bad=[0, 3])

    crash.end(BatchEnd((10, 2, 0)), armed=armed)


@pytest.mark.parametrize(("point", "hits"), ITEM, ids=name_of)
def test_batch_ends_after_functions_of_its_items_died(
    crash: CrashBatches, point: P, hits: str
) -> None:
    armed = crash.arm(point, hits)

    crash.make(8, bad=[1, 7])

    crash.end(BatchEnd((6, 2, 0)), armed=armed)


@pytest.mark.parametrize(("point", "hits"), CANCEL, ids=name_of)
def test_queued_items_of_a_canceled_batch_are_canceled_once(
    crash: CrashBatches, point: P, hits: str
) -> None:
    released = crash.arm(P.BATCH_RELEASED)
    batch = crash.make(12)
    crash.await_kill(released)
    armed = crash.arm(point, hits)

    crash.cancel_killed(batch)

    crash.end(BatchEnd((0, 0, 12), "canceled"), armed=armed)


def test_batch_canceled_during_a_step_holds_nothing(crash: CrashBatches) -> None:
    reserved = crash.arm(P.BATCH_RESERVED)
    batch = crash.make(6)
    crash.await_kill(reserved)

    crash.cancel_killed(batch)

    crash.end(BatchEnd((0, 0, 6), "canceled"))


@pytest.mark.parametrize("point", RESUME, ids=name_of)
def test_paused_batch_goes_on_once_there_are_renders(crash: CrashBatches, point: P) -> None:
    crash.give_renders(3 - crash.allowance)
    armed = crash.arm(P.BATCH_PAUSED)
    crash.make(8)
    crash.settle(lambda: armed.exists() or len(crash.renders_of("succeeded")) < 3)
    armed = crash.arm(point)

    crash.give_renders(20)

    crash.end(BatchEnd((8, 0, 0)), armed=armed)
    (row,) = crash.batches()
    assert row["pauses"] == 1


def test_lost_item_is_retried_once(crash: CrashBatches) -> None:
    released = crash.arm(P.BATCH_RELEASED)
    batch = crash.make(6)
    crash.await_kill(released)
    lost, *_ = crash.renders_of("queued")
    armed = crash.arm(P.DEAD_LETTERS_ENDED)
    crash.stores.send_dead_letter("Renders", crash.message_of(lost))
    crash.await_kill(armed)
    crash.end(BatchEnd((5, 1, 0)))
    path = f"/batches/{batch}/retry-failed"
    crash.call_killed(P.BATCH_RETRIED, "POST", path)

    assert crash.http.post(path).json()["code"] == "conflict"

    crash.end(BatchEnd((6, 0, 0), run=2))


@pytest.mark.parametrize("point", [P.BATCH_RESERVED, P.BATCH_RELEASED, P.BATCH_ENDED], ids=name_of)
def test_failed_items_are_retried_once(crash: CrashBatches, point: P) -> None:
    batch = crash.make(6, bad=[1, 5])
    crash.end(BatchEnd((4, 2, 0)))
    armed = crash.arm(point)

    crash.call("POST", f"/batches/{batch}/retry-failed")

    crash.end(BatchEnd((4, 2, 0), run=2), armed=armed)


def test_data_are_erased_after_their_retention(crash: CrashBatches) -> None:
    crash.make(6)
    crash.end(BatchEnd((6, 0, 0)))
    armed = crash.arm(P.BATCH_ERASED)

    crash.expire()

    crash.end(BatchEnd((6, 0, 0)), armed=armed)
    crash.settle(lambda: [row["id"] for row in crash.batches() if "due_at" in row])


def test_deleted_workspace_leaves_nothing_of_its_batches(crash: CrashBatches) -> None:
    crash.call_killed(P.BATCH_STORED, "POST", "/batches", json=crash.body(6))
    crash.make(6)
    crash.stack.operator.change_status.delete(crash.workspace)
    (row,) = (row for row in crash.rows() if row.get("delete_at"))
    crash.stores.replace(row, {"delete_at": PAST, "due_at": PAST})

    crash.settle(lambda: [row["PK"] for row in crash.rows()] + crash.objects())
