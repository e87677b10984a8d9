"""A machine's clock that is set by hours: work under way ends, nothing is lost or billed twice."""

import json
import os
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.moved_clock import MovedClock
from tests.builders.stack.stores import StackStores
from tests.builders.waiting import eventually
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver

pytestmark = [
    pytest.mark.integration,
    pytest.mark.breadth,
    pytest.mark.skipif(
        os.geteuid() != 0 or shutil.which("cc") is None,
        reason="only root gives processes another clock, by a library that is built here",
    ),
]
HOURS: Final = 5 * 3_600
# Renders of two seconds are under way when the clock jumps.
SLOW: Final = {"wait": {"delay_ms": 2_000}}
ACCEPTED: Final = 6


@pytest.fixture
def clock(tmp_path_factory: pytest.TempPathFactory) -> MovedClock:
    folder = tmp_path_factory.mktemp("clock")
    # Functions run as other users.
    for each in (folder, *folder.parents[:2]):
        each.chmod(0o755)
    return MovedClock(folder)


@pytest.fixture
def receiver() -> Iterator[WebhookReceiver]:
    with webhook_receiver() as receiver:
        yield receiver


@pytest.fixture
def server(clock: MovedClock, receiver: WebhookReceiver, tmp_path: Path) -> Iterator[RunningServer]:
    allowed = f"127.0.0.1/32:{receiver.port}"
    with running_server(tmp_path / "data", PLATEN_EGRESS_ALLOW=allowed) as server:
        with clock.given():
            server.start()
        yield server


def test_the_clock_jumps_forward_and_back(
    tenant: RunningStack, clock: MovedClock, receiver: WebhookReceiver
) -> None:
    under_way: list[str] = []
    others: list[str] = []
    with ApiClient(tenant, tenant.live_key) as client:

        def accept(output: Mapping[str, object]) -> list[str]:
            answers = [client.render(mode="async", output=output) for _ in range(ACCEPTED)]
            return [each.raise_for_status().json()["id"] for each in answers]

        endpoint = {"url": receiver.url, "events": ["render.succeeded"]}
        client.http.post("/webhook-endpoints", json=endpoint).raise_for_status()
        for offset in (HOURS, 0):
            slow = accept(SLOW)
            eventually(lambda slow=slow: client.get(slow[0])["status"] != "queued")  # type: ignore[misc]

            clock.move(offset)

            # No request is refused until the clock is where it was.
            under_way += slow
            others += accept({})
            assert client.render().status_code == 200
        ended = {each: client.wait_until_final(each) for each in (*under_way, *others)}

        succeeded = {each for each, row in ended.items() if row["status"] == "succeeded"}
        assert set(others) <= succeeded
        # What takes hours by the clock has no time left.
        failed = Counter(row["error"]["code"] for row in ended.values() if row["error"])
        assert set(failed) <= {"render_timeout"}
        assert all(row["billed"] is (each in succeeded) for each, row in ended.items())
        stores = StackStores(tenant)
        limits = stores.limits_with_rows
        eventually(lambda: not any(limits(tenant.workspace)[each] for each in ("holds", "leases")))
        assert int(stores.limits(tenant.workspace)["used"]) == len(succeeded) + 2
        # What was due at a moment of the clock before waits for that moment.
        clock.move(HOURS + 600)
        eventually(lambda: succeeded <= set(told(receiver)), pause_s=0.2)
        assert set(told(receiver).values()) == {1}


def told(receiver: WebhookReceiver) -> Counter[str]:
    """Return how often the end of each render was told."""
    events = [json.loads(each.body) for each in receiver.received]
    return Counter(event["data"]["object"]["id"] for event in events)
