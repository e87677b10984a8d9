"""Lost responses to writes that took effect: botocore sends each of them again."""

from typing import Any, cast

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    EndpointConnectionError,
    ReadTimeoutError,
)

from chalicelib.features.workspaces.keys.model import SCOPES
from tests.builders.lambda_client import LambdaClient
from tests.builders.service import Service

REFUSED = "ConditionalCheckFailedException"


class RepeatingClient:
    """DynamoDB client that loses the first response to every write of one item."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if name not in {"update_item", "put_item", "delete_item"}:
            return call

        def twice(**request: Any) -> Any:
            try:
                call(**request)
            except ClientError as error:
                # Only a successful write has a response to lose.
                if error.response["Error"]["Code"] == REFUSED:
                    raise
            return call(**request)

        return twice


class FailingClient:
    """DynamoDB client that fails at every call."""

    def __init__(self, client: Any, operation: str, fault: Exception) -> None:
        self._client = client
        self._operation = operation
        self._fault = fault

    def __getattr__(self, name: str) -> Any:
        if name == self._operation:
            raise self._fault
        return getattr(self._client, name)


@pytest.fixture
def repeating(service: Service) -> Service:
    service.clients.dynamodb = cast("Any", RepeatingClient(service.clients.dynamodb))
    return service


def test_sync_and_async_renders_are_reserved_and_settled_once(repeating: Service) -> None:
    answers = [repeating.render(), repeating.render(mode="async"), repeating.render()]
    repeating.process_queues()

    assert [answer.status for answer in answers] == [200, 202, 200]
    limits = repeating.limits()
    assert (limits["used"], limits["quota_left"]) == (3, 249_997)
    assert (limits["holds"], limits["leases"]) == ({}, {})
    assert repeating.usage() == {"live_succeeded": 3, "billed": 3}
    assert len(repeating.engine.jobs) == 3


def test_request_that_renders_nothing_is_counted_once(repeating: Service) -> None:
    key = repeating.key("live", repeating.create_workspace("free"))

    statuses = [repeating.call("GET", "/v1/renders", key=key).status for _ in range(3)]

    assert statuses == [200, 200, 429]


def test_render_without_capacity_moves_to_the_queue_at_once(repeating: Service) -> None:
    def busy() -> Any:
        while True:
            repeating.clock.advance(seconds=6)
            yield LambdaClient.exceptions.TooManyRequestsException()

    repeating.invoke_failures = busy()
    answer = repeating.render()
    assert (answer.status, answer.json["status"]) == (202, "queued")

    repeating.invoke_failures = iter(())
    repeating.run_queued()

    render = repeating.call("GET", f"/v1/renders/{answer.json['id']}").json
    assert render["status"] == "succeeded"


def test_key_is_created_changed_and_revoked_once(repeating: Service) -> None:
    keys = repeating.operator.manage_keys
    made = keys.create(repeating.workspace, mode="live", scopes=SCOPES)

    rolled = keys.roll(made.key.id)
    assert repeating.call("GET", "/v1/renders", key=rolled.text).status == 200
    keys.revoke(made.key.id)

    assert repeating.call("GET", "/v1/renders", key=rolled.text).code == "api_key_revoked"


def test_due_item_is_dispatched_by_the_tick_that_moved_it(repeating: Service) -> None:
    repeating.render(mode="async")
    repeating.clock.advance(minutes=4, seconds=30)

    assert repeating.tick() == 1, "the limits"


@pytest.mark.parametrize(
    "fault",
    [
        ReadTimeoutError(endpoint_url="https://dynamodb.test"),
        EndpointConnectionError(endpoint_url="https://dynamodb.test"),
        ClientError(
            {"Error": {"Code": "ThrottlingException", "Message": ""}}, "TransactWriteItems"
        ),
        ClientError(
            {
                "Error": {"Code": "InternalServerError", "Message": ""},
                "ResponseMetadata": cast("Any", {"HTTPStatusCode": 500}),
            },
            "TransactWriteItems",
        ),
    ],
)
def test_unavailable_store_answers_region_degraded(service: Service, fault: Exception) -> None:
    calm = service.clients.dynamodb
    service.clients.dynamodb = cast("Any", FailingClient(calm, "transact_write_items", fault))
    headers = {"Idempotency-Key": "one"}

    answer = service.render(headers=headers)

    assert (answer.status, answer.code) == (503, "region_degraded")
    assert answer.headers["Retry-After"] == "5"
    service.clients.dynamodb = calm
    assert service.render(headers=headers).status == 200
    service.clock.advance(minutes=6)
    service.tick()
    service.process_queues()
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})


def test_bug_stays_an_internal_error(service: Service) -> None:
    fault = ClientError({"Error": {"Code": "ValidationException", "Message": ""}}, "GetItem")
    service.clients.dynamodb = cast(
        "Any", FailingClient(service.clients.dynamodb, "transact_write_items", fault)
    )

    assert service.render().code == "internal_error"


def test_superseded_attempt_that_still_runs_changes_nothing(service: Service) -> None:
    events: list[dict[str, Any]] = []

    def cut_off() -> Any:
        # The caller's connection is cut while the function continues.
        events.append(service.last_event)
        yield ConnectionClosedError(endpoint_url="https://lambda.test")

    service.invoke_failures = cut_off()
    render = service.render().json

    service.serve(events[0], "the first one, late")

    assert render["status"] == "succeeded"
    assert len(service.engine.jobs) == 2
    service.relay_events()
    assert service.objects() == [f"ws/{service.workspace}/files/{render['id']}/2-0.pdf"]
    assert len(service.events(render["id"])) == 1
    limits = service.limits()
    assert (limits["used"], limits["holds"], limits["leases"]) == (1, {}, {})
    assert service.usage() == {"live_succeeded": 1, "billed": 1}
