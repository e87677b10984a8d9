"""Hundreds of concurrent admissions on a real DynamoDB."""

import multiprocessing
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from copy import replace

import pytest

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import ConditionFailed, Table
from chalicelib.features.workspaces.plans import PLANS
from tests.builders.stack.concurrent_callers import (
    ADMISSIONS,
    TABLE,
    UNLIMITED_RATE_PLAN,
    CallerProcess,
    ConcurrentCallers,
)

pytestmark = pytest.mark.integration


def test_leases_never_exceed_the_concurrency_limit(clients: AwsClients) -> None:
    crowd = ConcurrentCallers(clients, UNLIMITED_RATE_PLAN)

    answers = crowd.run_concurrently(lambda n: crowd.admit(crowd.reservation_request(n, sync=True)))

    assert Counter(code for code, _, _ in answers) == {"admitted": 50, "concurrency_limited": 150}
    taken = [(claim, taken) for _, claim, taken in answers if taken is not None]
    assert crowd.item["leases"].keys() == {claim.render_id for claim, _ in taken}

    crowd.run_concurrently(lambda n: crowd.settle(*taken[n % 50], billed=True), 150)

    item = crowd.item
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (50, 250_000 - 50)


def test_allowance_is_never_overdrawn(clients: AwsClients) -> None:
    crowd = ConcurrentCallers(clients, replace(UNLIMITED_RATE_PLAN, included_renders=30))

    answers = crowd.run_concurrently(
        lambda n: crowd.admit(crowd.reservation_request(n, sync=False))
    )

    assert Counter(code for code, _, _ in answers) == {"admitted": 30, "render_limit_reached": 170}
    taken = [(claim, taken) for _, claim, taken in answers if taken is not None]
    assert crowd.item["quota_left"] == 0

    crowd.run_concurrently(lambda n: crowd.settle(*taken[n % 30], billed=n % 2 == 0), 90)

    item = crowd.item
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (15, 15)


def test_packs_and_top_ups_are_never_overdrawn(clients: AwsClients) -> None:
    plan = replace(
        UNLIMITED_RATE_PLAN, included_renders=20, price_cents=500, pack_renders=15, pack_cents=1_000
    )
    crowd = ConcurrentCallers(clients, plan, spend_cap_cents=3_999)
    sell = crowd.limits.change(crowd.workspace, prepaid=5)
    with suppress(ConditionFailed):
        Table(clients, TABLE).write(sell)

    answers = crowd.run_concurrently(
        lambda n: crowd.admit(crowd.reservation_request(n, sync=False))
    )

    # Included, sold, and three packs: 500 + 3 * 1 000 cents; a fourth would be 4 500.
    admitted = 20 + 5 + 3 * 15
    assert Counter(code for code, _, _ in answers) == {
        "admitted": admitted,
        "render_limit_reached": ADMISSIONS - admitted,
    }
    taken = [(claim, taken) for _, claim, taken in answers if taken is not None]
    assert Counter(part.source == "prepaid" for _, part in taken) == {False: 20, True: 50}
    assert (crowd.item["quota_left"], crowd.item["prepaid_left"], crowd.item["topups"]) == (0, 0, 3)

    crowd.run_concurrently(
        lambda n: crowd.settle(*taken[n % admitted], billed=n % 2 == 0), 2 * admitted
    )

    item = crowd.item
    billed = Counter(part.source == "prepaid" for _, part in taken[::2])
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (billed[False], 20 - billed[False])
    assert item["prepaid_left"] == 50 - billed[True]


def test_rate_is_never_exceeded(clients: AwsClients) -> None:
    crowd = ConcurrentCallers(clients, PLANS["scale"])

    answers = crowd.run_concurrently(
        lambda n: crowd.admit(crowd.reservation_request(n, sync=False))
    )

    assert Counter(code for code, _, _ in answers) == {"admitted": 100, "rate_limited": 100}


def test_concurrent_repeats_of_a_request_are_admitted_once(clients: AwsClients) -> None:
    crowd = ConcurrentCallers(clients, UNLIMITED_RATE_PLAN)

    answers = crowd.run_concurrently(
        lambda n: crowd.admit(crowd.reservation_request(n % 20, sync=True)), 320
    )

    assert {code for code, _, _ in answers} == {"admitted"}
    item = crowd.item
    assert (len(item["holds"]), len(item["leases"]), item["quota_left"]) == (20, 20, 250_000 - 20)


def test_released_leases_are_acquired_by_waiting_renders(clients: AwsClients) -> None:
    crowd = ConcurrentCallers(
        clients, replace(UNLIMITED_RATE_PLAN, sync_concurrency=8, included_renders=200)
    )
    running = Counter[str]()
    lock = threading.Lock()

    def count(step: int) -> None:
        with lock:
            running["now"] += step
            running["most"] = max(running["most"], running["now"])

    def render(number: int) -> None:
        claim = crowd.reservation_request(number, sync=True)
        code, _, taken = crowd.admit(claim)
        while code == "concurrency_limited":
            code, _, taken = crowd.admit(claim)
        assert taken is not None, code
        count(1)
        count(-1)
        crowd.settle(claim, taken, billed=number % 2 == 0)

    crowd.run_concurrently(render, 300)

    item = crowd.item
    assert running["most"] <= 8
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (150, 50)


@pytest.mark.parametrize(
    ("sync", "answers"),
    [
        (True, {"admitted": 7, "concurrency_limited": 193}),
        (False, {"admitted": 20, "render_limit_reached": 180}),
    ],
)
def test_independent_processes_never_exceed_the_limits(
    clients: AwsClients, *, sync: bool, answers: dict[str, int]
) -> None:
    plan = replace(UNLIMITED_RATE_PLAN, sync_concurrency=7, included_renders=20)
    crowd = ConcurrentCallers(clients, plan)
    parties = [
        CallerProcess(crowd.workspace.id, plan, range(first, first + 50), sync)
        for first in range(0, ADMISSIONS, 50)
    ]

    with ProcessPoolExecutor(4, mp_context=multiprocessing.get_context("spawn")) as processes:
        counters = list(processes.map(CallerProcess.admit, parties))

    assert sum(counters, Counter()) == answers
    item = crowd.item
    assert len(item["holds"]) == answers["admitted"]
    assert item["quota_left"] == 20 - answers["admitted"]
