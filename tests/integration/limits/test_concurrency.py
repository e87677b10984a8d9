"""A thousand admissions at once, on a DynamoDB that decides conditions for itself."""

import datetime as dt
import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, override

import pytest

from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.aws.table import Tables
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.workspaces.limits import Claim, Taken
from chalicelib.features.workspaces.limits_repository import Limits
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import PLANS, Plan
from infra.local.backends import start_backends
from infra.local.paths import Folder
from infra.local.processes import Spawner
from tests.fakes.edge import NOW, FixedClock

pytestmark = pytest.mark.integration

TABLE = "main"
ADMISSIONS = 1_000
THREADS = 16
NUMBERS = itertools.count()
# Admits every request of a test at once.
NO_RATE = replace(PLANS["scale"], rate_limit_rps=1_000)


class PlannedWorkspace(Workspace):
    """A workspace on a plan of the test's own."""

    plans: dict[str, Plan] = {}  # noqa: RUF012 -- by workspace, because a workspace is frozen

    @property
    @override
    def plan(self) -> Plan:
        return self.plans[self.id]


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    spawner = Spawner()
    with pytest.MonkeyPatch.context() as environment:
        for name in ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB"):
            environment.delenv(name, raising=False)
        for service in ("S3", "SQS", "KMS", "SECRETS_MANAGER"):
            environment.setenv(f"AWS_ENDPOINT_URL_{service}", "http://unused")
        folder = Folder(tmp_path_factory.mktemp("dynoxide"))
        (dynoxide,), endpoints = start_backends(folder, spawner)
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            environment.setenv(name, "test")
        environment.setenv("AWS_DEFAULT_REGION", "us-east-1")
        environment.setenv("AWS_ENDPOINT_URL_DYNAMODB", endpoints["AWS_ENDPOINT_URL_DYNAMODB"])
        try:
            dynoxide.wait()
            made = Clients()
            create_table(made)
            yield made
        finally:
            dynoxide.stop()
            spawner.close()


def create_table(clients: Clients) -> None:
    clients.dynamodb.create_table(
        TableName=TABLE,
        AttributeDefinitions=[
            {"AttributeName": "PK", "AttributeType": "S"},
            {"AttributeName": "SK", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "PK", "KeyType": "HASH"},
            {"AttributeName": "SK", "KeyType": "RANGE"},
        ],
        BillingMode="PAY_PER_REQUEST",
    )


class Crowd:
    """Threads that each are a process of their own, as far as their memory goes."""

    def __init__(self, clients: Clients, plan: Plan) -> None:
        number = next(NUMBERS)
        self.workspace = PlannedWorkspace(
            id=WorkspaceId(f"ws_{number}"),
            name="",
            plan_code=plan.code,
            status="active",
            owner_email=None,
            owner_verified=True,
            regions=("eu",),
            allow_ips=(),
            created_at="2026-11-21T12:00:00.000Z",
        )
        PlannedWorkspace.plans[self.workspace.id] = plan
        tables = Tables(clients)
        tables.write(Limits(tables, TABLE, FixedClock()).creation(self.workspace, NOW))
        self._own = threading.local()
        self._tables = tables

    @property
    def limits(self) -> Limits:
        if not hasattr(self._own, "limits"):
            self._own.limits = Limits(self._tables, TABLE, FixedClock())
        found: Limits = self._own.limits
        return found

    @property
    def item(self) -> dict[str, Any]:
        return self.limits.get(self.workspace.id)

    def claim(self, number: int, *, sync: bool) -> Claim:
        until = NOW + dt.timedelta(minutes=7) if sync else None
        return Claim(RenderId(f"rnd_{number:026d}"), self.workspace, test=False, lease_until=until)

    def admit(self, claim: Claim) -> tuple[str, Claim, Taken | None]:
        try:
            taken, _ = self.limits.admit(claim, NOW)
        except ServiceError as refusal:
            return refusal.code, claim, None
        return "admitted", claim, taken

    def settle(self, claim: Claim, taken: Taken, *, billed: bool) -> None:
        self.limits.settle(self.workspace.id, claim.render_id, taken, billed=billed)

    def all_at_once[T](self, work: Callable[[int], T], count: int = ADMISSIONS) -> list[T]:
        with ThreadPoolExecutor(THREADS) as threads:
            return list(threads.map(work, range(count)))


def test_leases_are_never_more_than_the_plan_allows(clients: Clients) -> None:
    crowd = Crowd(clients, NO_RATE)

    answers = crowd.all_at_once(lambda n: crowd.admit(crowd.claim(n, sync=True)))

    assert Counter(code for code, _, _ in answers) == {"admitted": 50, "concurrency_limited": 950}
    taken = [(claim, taken) for _, claim, taken in answers if taken is not None]
    assert crowd.item["leases"].keys() == {claim.render_id for claim, _ in taken}

    crowd.all_at_once(lambda n: crowd.settle(*taken[n % 50], billed=True), 150)

    item = crowd.item
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (50, 250_000 - 50)


def test_allowance_is_never_overdrawn(clients: Clients) -> None:
    crowd = Crowd(clients, replace(NO_RATE, included_renders=30))

    answers = crowd.all_at_once(lambda n: crowd.admit(crowd.claim(n, sync=False)))

    assert Counter(code for code, _, _ in answers) == {"admitted": 30, "render_limit_reached": 970}
    taken = [(claim, taken) for _, claim, taken in answers if taken is not None]
    assert crowd.item["quota_left"] == 0

    crowd.all_at_once(lambda n: crowd.settle(*taken[n % 30], billed=n % 2 == 0), 90)

    item = crowd.item
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (15, 15)


def test_rate_is_never_exceeded(clients: Clients) -> None:
    crowd = Crowd(clients, PLANS["scale"])

    answers = crowd.all_at_once(lambda n: crowd.admit(crowd.claim(n, sync=False)))

    assert Counter(code for code, _, _ in answers) == {"admitted": 100, "rate_limited": 900}


def test_same_claim_from_many_sides_is_admitted_once(clients: Clients) -> None:
    crowd = Crowd(clients, NO_RATE)

    answers = crowd.all_at_once(lambda n: crowd.admit(crowd.claim(n % 20, sync=True)), 320)

    assert {code for code, _, _ in answers} == {"admitted"}
    item = crowd.item
    assert (len(item["holds"]), len(item["leases"]), item["quota_left"]) == (20, 20, 250_000 - 20)


def test_places_go_from_hand_to_hand(clients: Clients) -> None:
    crowd = Crowd(clients, replace(NO_RATE, sync_concurrency=8, included_renders=200))
    running = Counter[str]()
    lock = threading.Lock()

    def count(step: int) -> None:
        with lock:
            running["now"] += step
            running["most"] = max(running["most"], running["now"])

    def render(number: int) -> None:
        claim = crowd.claim(number, sync=True)
        code, _, taken = crowd.admit(claim)
        while code == "concurrency_limited":
            code, _, taken = crowd.admit(claim)
        assert taken is not None, code
        count(1)
        count(-1)
        crowd.settle(claim, taken, billed=number % 2 == 0)

    crowd.all_at_once(render, 300)

    item = crowd.item
    assert running["most"] <= 8
    assert (item["leases"], item["holds"]) == ({}, {})
    assert (item["used"], item["quota_left"]) == (150, 50)
