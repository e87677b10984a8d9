"""Renders and other work that callers wait for share the places of a plan, on a real DynamoDB."""

from collections import Counter

import pytest

from chalicelib.adapters.aws.session import Clients
from tests.builders.crowd import NO_RATE, Crowd

pytestmark = pytest.mark.integration


def test_renders_and_other_work_are_never_more_than_the_plan_allows(clients: Clients) -> None:
    crowd = Crowd(clients, NO_RATE)

    def ask(number: int) -> str:
        if number % 2:
            return crowd.enter(crowd.place(number))
        return crowd.admit(crowd.claim(number, sync=True))[0]

    answers = Counter(crowd.all_at_once(ask))

    assert answers["admitted"] + answers["entered"] == 50
    assert answers["concurrency_limited"] == 950
    held = [name for name in crowd.item["leases"] if name.startswith("plc_")]
    assert (len(crowd.item["leases"]), len(held)) == (50, answers["entered"])

    crowd.all_at_once(lambda n: crowd.leave(crowd.place(n)))

    assert len(crowd.item["leases"]) == len(crowd.item["holds"]) == answers["admitted"]
    assert crowd.enter(crowd.place(1)) == (
        "entered" if answers["entered"] else "concurrency_limited"
    )
