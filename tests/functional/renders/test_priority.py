"""Low-priority renders wait in a separate queue."""

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
        attributes = service.clients.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])  # type: ignore[list-item]
        found += [priority] * int(attributes["Attributes"][name])  # type: ignore[index]
    return found


@pytest.mark.parametrize("priority", QUEUES)
def test_each_priority_has_a_queue(service: Service, priority: str) -> None:
    accepted = service.render(mode="async", priority=priority).json

    assert accepted["priority"] == priority
    assert waiting(service) == [priority]
    assert service.run_queued(QUEUES[priority]) == []
    assert service.call("GET", f"/v1/renders/{accepted['id']}").json["status"] == "succeeded"
    assert waiting(service) == []


def test_late_sync_render_is_queued_by_priority(service: Service) -> None:
    service.invoke_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])
    service.render(priority="low")
    service.clock.advance(seconds=301)
    service.tick()
    service.run_maintenance()

    assert waiting(service) == ["low"]
    assert service.run_queued("RendersLow") == []
    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert render["status"] == "succeeded"


def test_invalid_message_becomes_a_dead_letter_of_the_render_queue(service: Service) -> None:
    service.send("RendersLow", "no JSON")
    assert service.run_queued("RendersLow") == []

    service.record_dead_letters("Renders")

    assert [letter.body for letter in service.dead_letters("Renders")] == ["no JSON"]


def test_failed_message_reappears_in_its_queue(service: Service) -> None:
    service.send("RendersLow", '{"v": 99}')

    assert len(service.run_queued("RendersLow")) == 1

    assert waiting(service) == []
    assert service.dead_letters("Renders") == []
