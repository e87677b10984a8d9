"""Renders of low priority wait in a queue of their own."""

import pytest
from botocore.exceptions import ReadTimeoutError

from tests.builders.service import Service

QUEUES = {"normal": "Renders", "low": "RendersLow"}


def waiting(service: Service) -> list[str]:
    """Return the priorities whose queues hold messages."""
    name = "ApproximateNumberOfMessages"
    found = []
    for priority, queue in QUEUES.items():
        url = service.resources[f"{queue}Queue"]["Ref"]
        told = service.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])  # type: ignore[list-item]
        found += [priority] * int(told["Attributes"][name])  # type: ignore[index]
    return found


@pytest.mark.parametrize("priority", QUEUES)
def test_each_priority_has_its_queue(service: Service, priority: str) -> None:
    accepted = service.render(mode="async", priority=priority).json

    assert accepted["priority"] == priority
    assert waiting(service) == [priority]
    assert service.run_queued(QUEUES[priority]) == []
    assert service.call("GET", f"/v1/renders/{accepted['id']}").json["status"] == "succeeded"
    assert waiting(service) == []


def test_late_sync_render_waits_where_its_priority_says(service: Service) -> None:
    service.invoke_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])
    service.render(priority="low")
    service.clock.advance(seconds=301)
    service.tick()
    service.run_maintenance()

    assert waiting(service) == ["low"]
    assert service.run_queued("RendersLow") == []
    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert render["status"] == "succeeded"


def test_message_that_is_no_render_becomes_a_dead_letter_of_the_renders(service: Service) -> None:
    service.send("RendersLow", "no JSON")
    assert service.run_queued("RendersLow") == []

    service.record_dead_letters("Renders")

    assert [letter.body for letter in service.dead_letters("Renders")] == ["no JSON"]


def test_message_that_fails_is_shown_again_in_its_own_queue(service: Service) -> None:
    service.send("RendersLow", '{"v": 99}')

    assert len(service.run_queued("RendersLow")) == 1

    assert waiting(service) == []
    assert service.dead_letters("Renders") == []
