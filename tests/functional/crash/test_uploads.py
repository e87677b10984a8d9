"""Functions killed over uploads: each file is stored, and each failure is told once."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.crash.storage_uploads import CrashUploads
from tests.builders.storage.recording_store import RecordingStore, recording_store
from tests.fakes.engine import FAKE_PDF
from tests.fakes.kms import kms_error

# From the render to its uploads: the subscriber's transaction is the relay's.
RENDER = (P.RELAY_PREPARED, P.RELAY_PUBLISHED, P.RELAY_FOLLOWED_UP)
UPLOAD = (
    P.STORAGE_BEGUN,
    P.STORAGE_CLAIMED,
    P.STORAGE_OPENED,
    P.STORAGE_STORED,
    P.STORAGE_RECORDED,
)
# With the failed rounds that are recorded then.
REPEAT = ((P.STORAGE_NOTED, 0), (P.STORAGE_RECORDED, 1), (P.STORAGE_DELAYED, 1))
FAILURE = (P.STORAGE_NOTED, P.STORAGE_RECORDED, P.STORAGE_EVENT_SENT)
DELETION = (P.MAINTENANCE_BEGUN, P.MAINTENANCE_PURGE_MARKED, P.MAINTENANCE_PURGED)
BOTH = ("pdf", "png")


@pytest.fixture
def store() -> Iterator[RecordingStore]:
    with recording_store() as running:
        yield running


@pytest.fixture
def crash(stack: ServiceStack, store: RecordingStore) -> CrashUploads:
    stack.allow(store.egress_allow)
    return CrashUploads(stack, store)


@contextmanager
def without_key(stack: ServiceStack) -> Iterator[None]:
    """Let nobody open credentials in the block."""

    def refuse(**_: object) -> None:
        raise kms_error("DisabledException")

    events, name = stack.service.clients.kms.meta.events, "before-parameter-build.kms.Decrypt"
    events.register(name, refuse)
    try:
        yield
    finally:
        events.unregister(name, refuse)


def test_every_crash_point_of_uploads_is_covered() -> None:
    killed = {*UPLOAD, *(each for each, _ in REPEAT), *FAILURE}
    killed |= {P.STORAGE_CLAIM_EXTENDED, P.STORAGE_POSTPONED, P.STORAGE_GIVEN_UP}

    assert killed == {point for point in P if point.name.startswith("STORAGE")}


@pytest.mark.parametrize("point", [*RENDER, *UPLOAD], ids=lambda of: of.name)
def test_file_is_stored(crash: CrashUploads, point: P) -> None:
    armed = crash.arm(point)
    crash.render()
    crash.await_kill(armed)

    crash.settle_uploads()

    assert crash.statuses() == ["succeeded"]
    # The same bytes once more under the same key.
    assert crash.puts() == [2 if point is P.STORAGE_STORED else 1]


@pytest.mark.parametrize(
    ("point", "hit", "puts"),
    [(P.STORAGE_STORED, "2", [1, 2]), (P.STORAGE_RECORDED, "1", [1, 1])],
    ids=["stored", "recorded"],
)
def test_files_that_were_recorded_are_not_sent_again(
    crash: CrashUploads, point: P, hit: str, puts: list[int]
) -> None:
    armed = crash.arm(point, hit)
    crash.render(formats=BOTH)
    crash.await_kill(armed)

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["succeeded"] * 2, puts)


def test_large_file_is_stored(crash: CrashUploads, stack: ServiceStack) -> None:
    stack.service.engine.content = FAKE_PDF + bytes(17_000_000)
    armed = crash.arm(P.STORAGE_CLAIM_EXTENDED)
    crash.render()
    crash.await_kill(armed)

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["succeeded"], [1])


@pytest.mark.parametrize(("point", "attempts"), REPEAT, ids=[of.name for of, _ in REPEAT])
def test_attempt_that_failed_is_followed_by_one_more(
    crash: CrashUploads, store: RecordingStore, point: P, attempts: int
) -> None:
    store.status = HTTPStatus.SERVICE_UNAVAILABLE
    armed = crash.arm(point)
    crash.render()
    crash.await_kill(armed)
    store.status = HTTPStatus.OK

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["succeeded"], [1])
    assert crash.uploads().attempts == attempts
    assert crash.destination_error() is None


def test_destination_that_works_again_is_active(crash: CrashUploads, store: RecordingStore) -> None:
    store.status = HTTPStatus.SERVICE_UNAVAILABLE
    crash.render()
    crash.await_failed_attempt()
    store.status = HTTPStatus.OK

    crash.settle(lambda: list(crash.faults()), P.STORAGE_NOTED)

    assert (crash.statuses(), crash.puts()) == (["succeeded"], [2])
    assert crash.destination_error() is None


def test_uploads_without_the_key_of_credentials_wait_for_it(
    crash: CrashUploads, stack: ServiceStack
) -> None:
    with without_key(stack):
        armed = crash.arm(P.STORAGE_POSTPONED)
        crash.render()
        crash.await_kill(armed)

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["succeeded"], [1])
    assert crash.uploads().attempts == 0


@pytest.mark.parametrize("point", FAILURE, ids=lambda of: of.name)
def test_failure_is_told_once_and_keeps_the_files(
    crash: CrashUploads, store: RecordingStore, point: P
) -> None:
    store.status = HTTPStatus.FORBIDDEN
    armed = crash.arm(point)
    crash.render(formats=BOTH, hosted=False)
    crash.await_kill(armed)

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["failed"] * 2, [0, 0])
    assert (crash.destination_error() or {})["code"] == "storage_denied"


def test_uploads_that_were_given_up_have_failed(crash: CrashUploads, store: RecordingStore) -> None:
    store.status = HTTPStatus.SERVICE_UNAVAILABLE
    crash.render(hosted=False)
    crash.await_failed_attempt()
    armed = crash.arm(P.STORAGE_GIVEN_UP)
    crash.give_up()
    crash.await_kill(armed)
    store.status = HTTPStatus.OK

    crash.settle_uploads()

    assert (crash.statuses(), crash.puts()) == (["failed"], [0])


@pytest.mark.parametrize(
    "point", [P.STORAGE_STORED, P.STORAGE_RECORDED, *DELETION], ids=lambda of: of.name
)
def test_files_that_are_kept_for_uploads_are_deleted(crash: CrashUploads, point: P) -> None:
    # The last upload makes the deletion due.
    armed = crash.arm(point, "2" if point in UPLOAD else "1")
    crash.render(formats=BOTH, hosted=False)

    crash.settle(lambda: list(crash.faults()) or armed.exists())

    assert crash.statuses() == ["succeeded"] * 2
    assert crash.objects() == []
