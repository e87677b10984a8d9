"""Outcomes of invoking another function."""

import io
import json
import time
from typing import Any, override

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    IncompleteReadError,
    ReadTimeoutError,
    ResponseStreamingError,
)

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.session import AwsClients
from tests.builders.threads import at_once

URL = "https://lambda.test"


class TooManyRequestsException(ClientError):  # noqa: N818
    """Exception as botocore creates it from the service's answer."""


class Torn:
    """Response body that breaks off."""

    def __init__(self, fault: Exception) -> None:
        self._fault = fault

    def read(self) -> bytes:
        raise self._fault


class FakeLambda:
    """Lambda client that answers one call with a given outcome."""

    class exceptions:  # noqa: N801 -- as botocore names it
        TooManyRequestsException = TooManyRequestsException

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome
        self.requests: list[dict[str, Any]] = []

    def invoke(self, **request: Any) -> Any:
        self.requests.append(request)
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class FakeClients(AwsClients):
    """Client factory that returns one client and records the timeouts."""

    def __init__(self, outcome: Any) -> None:
        self.waits: list[float] = []
        self.client = FakeLambda(outcome)

    @override
    def lambda_client(self, read_timeout_s: float) -> Any:
        self.waits.append(read_timeout_s)
        # As long as a client takes, so that other threads come meanwhile.
        time.sleep(0.002)
        return self.client


def refusal(kind: type[ClientError], status: int) -> ClientError:
    response: Any = {"Error": {"Code": "x"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return kind(response, "Invoke")


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (refusal(TooManyRequestsException, 429), FunctionBusy),
        (refusal(ClientError, 500), FunctionBusy),
        (refusal(ClientError, 502), FunctionBusy),
        (refusal(ClientError, 403), ClientError),
        (EndpointConnectionError(endpoint_url=URL), FunctionBusy),
        (ConnectTimeoutError(endpoint_url=URL), FunctionBusy),
        (ReadTimeoutError(endpoint_url=URL), FunctionLate),
        (ConnectionClosedError(endpoint_url=URL), FunctionDied),
        ({"FunctionError": "Unhandled", "Payload": io.BytesIO(b"{}")}, FunctionDied),
        ({"Payload": Torn(ResponseStreamingError(error="cut"))}, FunctionDied),
        ({"Payload": Torn(IncompleteReadError(actual_bytes=1, expected_bytes=2))}, FunctionDied),
        ({"Payload": Torn(ReadTimeoutError(endpoint_url=URL))}, FunctionLate),
    ],
)
def test_each_invocation_failure_has_its_exception(outcome: Any, expected: type[Exception]) -> None:
    with pytest.raises(expected):
        LambdaFunction(FakeClients(outcome), "f").invoke({}, wait_s=1)


def test_answer_is_the_functions_own() -> None:
    answer = {"Payload": io.BytesIO(json.dumps({"a": "界"}).encode())}

    assert LambdaFunction(FakeClients(answer), "f").invoke({}, wait_s=1) == {"a": "界"}


@pytest.mark.parametrize(
    ("isolates_tenants", "tenant", "sent"),
    [
        (True, "ws_a", {"TenantId": "ws_a"}),
        (True, None, {}),
        (False, "ws_a", {}),
        (False, None, {}),
    ],
)
def test_tenant_id_is_sent_to_a_function_that_isolates_tenants(
    *, isolates_tenants: bool, tenant: str | None, sent: dict[str, str]
) -> None:
    clients = FakeClients({"Payload": io.BytesIO(b"{}")})
    function = LambdaFunction(clients, "f", isolates_tenants=isolates_tenants)

    function.invoke({}, wait_s=1, tenant=tenant)

    assert clients.client.requests == [{"FunctionName": "f", "Payload": b"{}", **sent}]


def test_invocation_wait_is_bounded() -> None:
    clients = FakeClients(ReadTimeoutError(endpoint_url=URL))
    function = LambdaFunction(clients, "f")
    for wait_s in (27.19, 27.01, 26.99, 0.1):
        with pytest.raises(FunctionLate):
            function.invoke({}, wait_s=wait_s)

    assert clients.waits == [27.0, 26.75, 0.25]


def test_threads_share_the_client_of_a_timeout() -> None:
    clients = FakeClients(None)
    function = LambdaFunction(clients, "f")

    at_once(lambda: function.prepare_client(27))

    assert clients.waits == [27.0]
