"""Leases: one receiver and one workspace hold only some functions at a time."""

import datetime as dt

import pytest

from chalicelib.core.clock import format_rfc3339
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.repository import endpoints_partition
from chalicelib.features.webhooks.erase import EraseWebhooks
from chalicelib.features.webhooks.leases.repository import (
    FAST_QUEUE,
    SLOW_QUEUE,
    DeliveryQueue,
    ReceiverLease,
    ReceiverLeases,
)
from tests.builders.service import Service
from tests.builders.webhooks import deliver, deliveries, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver


class Holder:
    """Holder of leases, as other functions are."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.leases = ReceiverLeases(table=service.main_table)

    def take(
        self, receiver: str, queue: DeliveryQueue = FAST_QUEUE, *, proven: bool = True
    ) -> bool:
        """Take a lease for 40 s; False: there is none."""
        now = self.service.clock.now()
        text = f"{format_rfc3339(now + dt.timedelta(seconds=40))}#{next(self.service.calls)}"
        lease = ReceiverLease(self.service.workspace, queue, receiver, proven, text)
        return self.leases.acquire(lease, now)


@pytest.fixture
def holder(service: Service) -> Holder:
    return Holder(service)


def test_receiver_without_a_success_has_fewer_leases(holder: Holder) -> None:
    assert [holder.take("whe_1", proven=False) for _ in range(3)] == [True, True, False]
    more = FAST_QUEUE.max_of_receiver - FAST_QUEUE.max_unproven
    assert [holder.take("whe_1") for _ in range(more + 1)] == [True] * more + [False]
    assert holder.take("whe_2", proven=False)


def test_workspace_has_a_bound_over_its_receivers(holder: Holder) -> None:
    taken = [holder.take(f"whe_{n}") for n in range(FAST_QUEUE.max_of_workspace + 1)]

    assert taken == [True] * FAST_QUEUE.max_of_workspace + [False]
    # The other queue has leases of its own, and so has another workspace.
    assert holder.take("whe_0", SLOW_QUEUE)
    holder.service.workspace = holder.service.create_workspace()
    assert holder.take("whe_0")


def test_lease_of_a_dead_function_runs_out(holder: Holder) -> None:
    for _ in range(FAST_QUEUE.max_of_receiver):
        assert holder.take("whe_1")
    holder.service.clock.advance(seconds=39)
    assert not holder.take("whe_1")

    holder.service.clock.advance(seconds=1)

    assert all(holder.take("whe_1") for _ in range(FAST_QUEUE.max_of_receiver))
    assert not holder.take("whe_1")


def test_attempt_without_a_lease_is_put_off_and_made_later(
    service: Service, receiver: WebhookReceiver, holder: Holder
) -> None:
    endpoint = make_endpoint(service, receiver.url)
    for queue in (FAST_QUEUE, SLOW_QUEUE):
        while holder.take(endpoint["id"], queue):
            pass
    service.render()
    deliver(service)
    assert receiver.received == []
    (delivery,) = deliveries(service)
    assert (delivery["status"], delivery["attempts"]) == ("pending", [])

    # Not at once: the message itself comes after two seconds, the due item after two minutes more.
    service.clock.advance(seconds=41)
    assert service.tick() == 0
    service.clock.advance(minutes=3)
    service.tick()
    service.deliver_webhooks()

    (delivery,) = deliveries(service)
    assert (delivery["status"], len(delivery["attempts"])) == ("succeeded", 1)
    assert len(receiver.received) == 1


def test_delivery_is_not_due_while_its_message_waits(
    service: Service, receiver: WebhookReceiver
) -> None:
    make_endpoint(service, receiver.url)
    service.render()
    service.relay_events()

    service.clock.advance(seconds=119)
    assert service.tick() == 0
    service.clock.advance(seconds=1)
    assert service.tick() == 1


def test_attempts_of_one_batch_share_a_lease(
    service: Service, receiver: WebhookReceiver, holder: Holder
) -> None:
    endpoint = make_endpoint(service, receiver.url)
    assert holder.take(endpoint["id"], proven=False)
    for _ in range(10):
        service.render()
    deliver(service)

    assert len(receiver.received) == 10
    # It is returned with the last one.
    assert holder.take(endpoint["id"], proven=False)


def test_batch_counts_once_in_its_workspace(
    service: Service, receiver: WebhookReceiver, holder: Holder
) -> None:
    for number in range(4):
        make_endpoint(service, f"{receiver.url}/{number}")
    unproven = FAST_QUEUE.max_all_unproven - 1
    for number in range(FAST_QUEUE.max_of_workspace - 1):
        assert holder.take(f"whe_{number}", proven=number >= unproven)
    service.render()
    deliver(service)

    assert {each.path for each in receiver.received} == {f"/hook/{n}" for n in range(4)}
    # Its place is returned with its last attempt.
    assert holder.take("whe_new", proven=False)
    assert not holder.take("whe_more", proven=False)


def test_slow_receiver_does_not_hold_up_its_neighbour(
    service: Service, receiver: WebhookReceiver, holder: Holder
) -> None:
    slow, fast = (make_endpoint(service, f"{receiver.url}/{n}") for n in range(2))
    while holder.take(slow["id"]):
        pass
    service.render()
    deliver(service)

    assert [each.path for each in receiver.received] == ["/hook/1"]
    assert {row["endpoint_id"]: row["status"] for row in deliveries(service)} == {
        slow["id"]: "pending",
        fast["id"]: "succeeded",
    }


@pytest.mark.parametrize("begins", ["before", "during"])
def test_attempt_at_the_deletion_of_its_workspace_leaves_no_leases(
    service: Service, receiver: WebhookReceiver, begins: str
) -> None:
    state = service.services.state
    erase = EraseWebhooks(
        table=state.main_table,
        deliveries=Deliveries(table=state.main_table),
        objects=state.objects,
    )
    service.render(webhook={"url": receiver.url})
    service.relay_events()
    steps = erase(service.workspace)
    if begins == "before":
        receiver.before_answer = lambda: list(steps)
    else:
        next(steps)

    service.deliver_webhooks()

    assert len(receiver.received) == (begins == "before")
    # The secret is gone with the workspace, so nobody can verify this any more.
    receiver.received.clear()
    assert list(steps) == [] or begins == "during"
    rows = state.main_table.query("PK = :pk", {":pk": endpoints_partition(service.workspace)})
    assert rows.items == []
