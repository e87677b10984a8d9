"""Renders of URLs that are late, and functions that die: nothing is made twice."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from chalicelib.adapters.aws.table import Throttled, Write
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.signed_links import fetch, make_link, renders, shown, sign


class ApiKilled(BaseException):
    """Death of the API function's process."""


@pytest.fixture
def link(service: Service) -> dict[str, Any]:
    return make_link(service, quota_total=3)


@pytest.fixture
def fast_waits(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a pause pass at once, on the clock of the service."""
    monkeypatch.setattr(time, "sleep", lambda seconds: service.clock.advance(seconds=seconds))


@pytest.mark.usefixtures("fast_waits")
def test_render_that_is_late_goes_on_and_is_served_later(
    service: Service, link: dict[str, Any]
) -> None:
    url = sign(link)
    service.invoke_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])

    late = fetch(service, url)
    still = fetch(service, url)

    for answer in (late, still):
        assert (answer.status, answer.code) == (503, "region_degraded")
        assert int(answer.headers["Retry-After"]) >= 1
        assert answer.headers["Cache-Control"] == "no-store"
    service.run_queued()
    service.process_due()
    service.clock.advance(minutes=6)
    service.process_due()
    assert fetch(service, url).status == 200
    assert len(renders(service)) == 1
    assert shown(service, link)["quota_used"] == 1


@pytest.mark.usefixtures("fast_waits")
def test_urls_whose_transactions_meet_in_their_link_are_made_after_all(
    service: Service, link: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    transact, conflicts = service.main_table.transact, [Throttled("link")] * 3

    def meet(writes: Sequence[Write]) -> None:
        if len(writes) == 3 and conflicts:
            raise conflicts.pop()
        transact(writes)

    monkeypatch.setattr(service.main_table, "transact", meet)

    answer = fetch(service, sign(link))

    assert (answer.status, conflicts) == (200, [])
    assert len(renders(service)) == shown(service, link)["quota_used"] == 1
    service.process_queues()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})


@pytest.mark.usefixtures("fast_waits")
def test_death_of_the_caller_is_taken_over_by_the_next_one(
    service: Service, link: dict[str, Any]
) -> None:
    url = sign(link)
    service.invoke_failures = iter([ApiKilled()])
    with pytest.raises(ApiKilled):
        fetch(service, url)

    at_once = fetch(service, url)
    service.clock.advance(seconds=10)
    later = fetch(service, url)

    assert (at_once.status, at_once.code) == (503, "region_degraded")
    assert later.status == 200, later.body
    assert len(renders(service)) == 1
    service.process_queues()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})
    assert shown(service, link)["quota_used"] == 1


@pytest.mark.usefixtures("fast_waits")
def test_claim_of_a_dead_function_runs_out(service: Service, link: dict[str, Any]) -> None:
    url = sign(link)
    service.kill_before_commit = True
    with pytest.raises(FunctionKilled):
        fetch(service, url)

    waiting = fetch(service, url)
    service.clock.advance(seconds=5)
    later = fetch(service, url)

    assert (waiting.status, waiting.code) == (503, "region_degraded")
    assert later.status == 200
    assert shown(service, link)["quota_used"] == 1
    service.clock.advance(minutes=20)
    service.process_due()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})


@pytest.mark.usefixtures("fast_waits")
def test_refused_acceptance_leaves_no_claim(service: Service, link: dict[str, Any]) -> None:
    url = sign(link)
    service.operator.service_states.set("maintenance")
    service.clock.advance(seconds=20)
    refused = fetch(service, url)
    service.operator.service_states.set("normal")
    service.clock.advance(seconds=12)
    before = service.clock.now()

    answer = fetch(service, url)

    assert (refused.status, refused.code) == (503, "maintenance")
    assert answer.status == 200
    # It has not waited for anything.
    assert service.clock.now() == before
    assert shown(service, link)["quota_used"] == 1
