"""Functions killed over the files of batches: the CSV that is read, the files that combine."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.batch_invariants import BatchEnd
from tests.builders.crash.batches import CrashBatches
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.pdfs.plain import pdf
from tests.functional.crash.test_batches import name_of

CSV = (P.BATCH_CHUNK_STORED, P.BATCH_CHUNK_COUNTED, P.BATCH_COUNTED)
# The numbers of hits: for each of the two files, and again after the death.
COMBINE = (
    (P.BATCH_COMBINING, "1"),
    (P.COMBINE_BEGUN, "1 1"),
    (P.COMBINE_PART_PUT, "1 2"),
    (P.COMBINE_STATE_STORED, "1 2"),
    (P.COMBINE_PART_SAVED, "1 1"),
    (P.COMBINE_COMPLETED, "1 2"),
    (P.COMBINE_ENDED, "1"),
    (P.COMBINE_CLEANED_UP, "1"),
)
BOTH: dict[str, Any] = {"combine": {"zip": True, "merged_pdf": True}}


@pytest.fixture
def crash(stack: ServiceStack) -> Iterator[CrashBatches]:
    stack.service.engine.content = pdf(1)
    made = CrashBatches(stack)
    yield made
    made.settle(stack.stores.message_counts)


def test_every_crash_point_of_files_is_covered() -> None:
    killed = {*CSV, *(point for point, _ in COMBINE), P.COMBINE_ITEM_PURGED}

    assert killed == {point for point in P if P.BATCH_CHUNK_STORED <= point <= P.COMBINE_CLEANED_UP}


@pytest.mark.parametrize("point", CSV, ids=name_of)
def test_records_of_a_csv_become_items_once(crash: CrashBatches, point: P) -> None:
    armed = crash.arm(point)

    crash.make_of_csv("n,_filename\n" + "".join(f"{n},f{n}\n" for n in range(6)))

    crash.end(BatchEnd((6, 0, 0)), armed=armed)


@pytest.mark.parametrize(("point", "hits"), COMBINE, ids=name_of)
def test_combined_files_are_whole_after_their_function_died(
    crash: CrashBatches, point: P, hits: str
) -> None:
    crash.repeats_messages = True
    armed = crash.arm(point, hits)

    batch = crash.make(6, bad=[1], **BOTH)

    crash.end(BatchEnd((5, 1, 0)), armed=armed)
    assert crash.names_in_zip(batch) == [f"item-{n}.pdf" for n in (0, 2, 3, 4, 5)]
    assert crash.pages_of_merged(batch) == 5


def test_files_of_items_go_once_the_archive_is_there(crash: CrashBatches) -> None:
    crash.repeats_messages = True
    armed = crash.arm(P.COMBINE_ITEM_PURGED, "1 2")

    crash.make(6, combine={"zip": True}, delivery={"hosted": False})

    crash.end(BatchEnd((6, 0, 0)), armed=armed)
    purged = [render["files_purged_at"] is not None for render in crash.renders_of("succeeded")]
    assert purged == [True] * 6


def test_canceled_batch_leaves_no_combined_file(crash: CrashBatches) -> None:
    crash.repeats_messages = True
    armed = crash.arm(P.COMBINE_PART_SAVED)
    batch = crash.make(3, **BOTH)
    crash.await_kill(armed)

    crash.cancel_killed(batch)

    crash.end(BatchEnd((3, 0, 0), "canceled"))


def test_retry_makes_the_combined_files_again(crash: CrashBatches) -> None:
    batch = crash.make(4, bad=[2], **BOTH)
    crash.end(BatchEnd((3, 1, 0)))

    crash.call_killed(P.BATCH_RETRIED, "POST", f"/batches/{batch}/retry-failed")

    crash.end(BatchEnd((3, 1, 0), run=2))
    assert crash.pages_of_merged(batch) == 3
