"""Renders and leases of other work share the concurrency limit of a plan, on a real DynamoDB."""

from collections import Counter

import pytest

from chalicelib.adapters.aws.session import AwsClients
from tests.builders.stack.concurrent_callers import UNLIMITED_RATE_PLAN, ConcurrentCallers

pytestmark = pytest.mark.integration


def test_renders_and_leases_together_never_exceed_the_concurrency_limit(
    clients: AwsClients,
) -> None:
    crowd = ConcurrentCallers(clients, UNLIMITED_RATE_PLAN)

    def ask(number: int) -> str:
        if number % 2:
            return crowd.acquire_lease(crowd.lease(number))
        return crowd.admit(crowd.reservation_request(number, sync=True))[0]

    answers = Counter(crowd.run_concurrently(ask))

    assert answers["admitted"] + answers["entered"] == 50
    assert answers["concurrency_limited"] == 150
    held = [name for name in crowd.item["leases"] if name.startswith("lease_")]
    assert (len(crowd.item["leases"]), len(held)) == (50, answers["entered"])

    crowd.run_concurrently(lambda n: crowd.release_lease(crowd.lease(n)))

    assert len(crowd.item["leases"]) == len(crowd.item["holds"]) == answers["admitted"]
    assert crowd.acquire_lease(crowd.lease(1)) == (
        "entered" if answers["entered"] else "concurrency_limited"
    )
