"""What becomes of a call of another function."""

import io
import json
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

URL = "https://lambda.test"


class TooManyRequestsException(ClientError):  # noqa: N818
    """As botocore makes it of the service's answer."""


class Torn:
    """The body of an answer that does not arrive."""

    def __init__(self, fault: Exception) -> None:
        self._fault = fault

    def read(self) -> bytes:
        raise self._fault


class FakeLambda:
    """Answers one call as it is told."""

    class exceptions:  # noqa: N801 -- as botocore names it
        TooManyRequestsException = TooManyRequestsException

    def __init__(self, outcome: Any) -> None:
        self.outcome = outcome

    def invoke(self, **_: Any) -> Any:
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class FakeClients(AwsClients):
    """Gives the same client for every wait, and remembers the waits."""

    def __init__(self, outcome: Any) -> None:
        self.waits: list[float] = []
        self._outcome = outcome

    @override
    def lambda_client(self, read_timeout_s: float) -> Any:
        self.waits.append(read_timeout_s)
        return FakeLambda(self._outcome)


def refusal(kind: type[ClientError], status: int) -> ClientError:
    response: Any = {"Error": {"Code": "x"}, "ResponseMetadata": {"HTTPStatusCode": status}}
    return kind(response, "Invoke")


@pytest.mark.parametrize(
    ("outcome", "told"),
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
def test_each_end_of_a_call_has_its_name(outcome: Any, told: type[Exception]) -> None:
    with pytest.raises(told):
        LambdaFunction(FakeClients(outcome), "f").invoke({}, wait_s=1)


def test_answer_is_the_functions_own() -> None:
    answer = {"Payload": io.BytesIO(json.dumps({"a": "界"}).encode())}

    assert LambdaFunction(FakeClients(answer), "f").invoke({}, wait_s=1) == {"a": "界"}


def test_no_call_waits_longer_than_it_may() -> None:
    clients = FakeClients(ReadTimeoutError(endpoint_url=URL))
    function = LambdaFunction(clients, "f")
    for wait_s in (27.19, 27.01, 26.99, 0.1):
        with pytest.raises(FunctionLate):
            function.invoke({}, wait_s=wait_s)

    assert clients.waits == [27.0, 26.75, 0.25]
