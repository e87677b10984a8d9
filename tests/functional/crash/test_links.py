"""Functions killed over signed links: one render for each URL, and exact quota."""

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.crash.links import FIRST_LINK_POINT, LAST_LINK_POINT, CrashLinks

# The function of the URL dies, and the next request makes the file, or finds it.
CALLERS = (P.LINK_CLAIMED, P.API_ADMITTED, P.API_CREATED, P.LINK_RAN)
# The render function or the engine dies under a caller that waits.
MAKERS = (P.RENDER_BEGUN, P.RENDER_MADE, P.RENDER_STORED, P.RENDER_FINISHED, P.ENGINE_BEGUN)
RELAY = (P.RELAY_BEGUN, P.RELAY_PREPARED, P.RELAY_PUBLISHED, P.LINK_QUOTA_RETURNED)


@pytest.fixture
def crash(stack: ServiceStack) -> CrashLinks:
    return CrashLinks(stack)


def test_every_crash_point_of_links_is_covered() -> None:
    killed = {*CALLERS, *RELAY, P.LINK_TAKEN_OVER, P.LINK_DELETED, P.LINK_ERASED}

    assert {point for point in killed if "LINK" in point.name} == {
        point for point in P if FIRST_LINK_POINT <= point <= LAST_LINK_POINT
    }


@pytest.mark.parametrize("point", CALLERS, ids=str)
def test_next_request_gets_the_file_of_a_caller_that_died(
    crash: CrashLinks, stack: ServiceStack, point: P
) -> None:
    crash.fetch_killed(point)
    stack.service.clock.advance(minutes=1)

    answer = crash.fetch()

    assert answer.status_code == 200, answer.text
    crash.settle(lambda: list(crash.faults(["succeeded"])))
    assert crash.fetch().content == answer.content


@pytest.mark.parametrize("point", MAKERS, ids=str)
def test_caller_gets_its_file_although_its_maker_died(crash: CrashLinks, point: P) -> None:
    armed = crash.arm(point)

    answer = crash.fetch()

    assert answer.status_code == 200, answer.text
    crash.await_kill(armed)
    crash.settle(lambda: list(crash.faults(["succeeded"])))


def test_takeover_is_taken_over(crash: CrashLinks, stack: ServiceStack) -> None:
    crash.fetch_killed(P.API_CREATED)
    stack.service.clock.advance(minutes=1)
    crash.fetch_killed(P.LINK_TAKEN_OVER)

    answer = crash.fetch()

    assert answer.status_code == 200, answer.text
    crash.settle(lambda: list(crash.faults(["succeeded"])))


@pytest.mark.parametrize("point", RELAY, ids=str)
def test_quota_of_a_failed_render_is_given_back_once(crash: CrashLinks, point: P) -> None:
    armed = crash.arm(point)

    answer = crash.fetch("bad=1")

    assert answer.json()["code"] == "template_runtime_error"
    crash.await_kill(armed)
    crash.settle(lambda: list(crash.faults(["failed"])))
    assert crash.fetch("n=1").status_code == 200
    crash.settle(lambda: list(crash.faults(["failed", "succeeded"])))


@pytest.mark.parametrize("point", [P.LINK_DELETED, P.LINK_ERASED], ids=str)
def test_deleted_link_is_erased(crash: CrashLinks, point: P) -> None:
    for n in range(3):
        assert crash.fetch(f"n={n}").status_code == 200
    if point is P.LINK_DELETED:
        crash.call_killed(point, "DELETE", crash.path)
    else:
        assert crash.http.delete(crash.path).status_code == 204
    assert crash.fetch("n=1").status_code == 404

    crash.settle(crash.own_rows, point if point is P.LINK_ERASED else None)

    assert crash.http.get(crash.path).status_code == 404
