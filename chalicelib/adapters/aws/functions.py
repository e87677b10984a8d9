"""Lambda functions: one function calls another, and waits no longer than its own caller does."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from chalicelib.adapters.aws.messages import UnknownVersion
from chalicelib.core import json

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_lambda import LambdaClient

    from chalicelib.adapters.aws.session import AwsClients


# A client keeps its connections and its time-out: one is kept for each quarter of a second.
_TIMEOUT_STEP_S: Final = 0.25
_SERVER_ERROR: Final = 500


class FunctionBusy(Exception):  # noqa: N818 -- the platform's own answer
    """There was no room for the function; `unsure`: the platform failed, it may have begun.

    Nor is there any while a deployment goes on and another release of it does not know the call.
    """

    def __init__(self, name: str, *, may_have_begun: bool = False) -> None:
        """Name the function."""
        super().__init__(name)
        self.may_have_begun = may_have_begun


class FunctionDied(Exception):  # noqa: N818 -- the platform's own answer
    """The function ended without an answer: killed, out of time or out of memory."""


class FunctionLate(Exception):  # noqa: N818 -- the platform's own answer
    """The function did not answer in time; it may still be running."""


class LambdaFunction:
    """One function, called and waited for."""

    def __init__(self, clients: "AwsClients", name: str) -> None:
        """Call the function of this name or ARN."""
        self._clients = clients
        self._name = name
        self._by_timeout: dict[float, LambdaClient] = {}

    def invoke(self, event: Mapping[str, Any], *, wait_s: float) -> dict[str, Any]:
        """Call and return the answer; raises FunctionBusy, FunctionDied or FunctionLate."""
        client = self._client(wait_s)
        try:
            answer: Mapping[str, Any] = client.invoke(
                FunctionName=self._name, Payload=json.dumps(event).encode()
            )
            payload = answer["Payload"].read()
        except (client.exceptions.TooManyRequestsException, *self._connect_errors) as refusal:
            raise FunctionBusy(self._name) from refusal
        except self._timeout_error as late:
            raise FunctionLate(self._name) from late
        except self._connection_errors as lost:
            raise FunctionDied(self._name) from lost
        except self._client_error as refusal:
            if refusal.response["ResponseMetadata"]["HTTPStatusCode"] < _SERVER_ERROR:
                raise
            raise FunctionBusy(self._name, may_have_begun=True) from refusal
        if "FunctionError" in answer:
            if _error_message(payload) == UnknownVersion.__qualname__:
                raise FunctionBusy(self._name)
            raise FunctionDied(self._name, answer["FunctionError"])
        result: dict[str, Any] = json.loads_own(payload)
        return result

    def prepare_client(self, wait_s: float) -> None:
        """Make the client of this wait ahead."""
        self._client(wait_s)

    def _client(self, wait_s: float) -> "LambdaClient":
        seconds = max(_TIMEOUT_STEP_S, wait_s // _TIMEOUT_STEP_S * _TIMEOUT_STEP_S)
        if seconds not in self._by_timeout:
            self._by_timeout[seconds] = self._clients.lambda_client(seconds)
        return self._by_timeout[seconds]

    # botocore is imported with the first call, not with this module.

    @cached_property
    def _timeout_error(self) -> type[Exception]:
        from botocore.exceptions import ReadTimeoutError  # noqa: PLC0415

        return ReadTimeoutError

    @cached_property
    def _connect_errors(self) -> tuple[type[Exception], ...]:
        from botocore.exceptions import (  # noqa: PLC0415
            ConnectTimeoutError,
            EndpointConnectionError,
        )

        return (ConnectTimeoutError, EndpointConnectionError)

    @cached_property
    def _connection_errors(self) -> tuple[type[Exception], ...]:
        from botocore.exceptions import (  # noqa: PLC0415
            HTTPClientError,
            IncompleteReadError,
        )

        return (HTTPClientError, IncompleteReadError)

    @cached_property
    def _client_error(self) -> "type[ClientError]":
        from botocore.exceptions import ClientError  # noqa: PLC0415

        return ClientError


def _error_message(payload: bytes) -> Any:
    """Return what a function that failed said itself; of one that was killed the platform tells."""
    try:
        told = json.loads_own(payload)
    except ValueError:
        return None
    return told.get("errorMessage") if isinstance(told, dict) else None
