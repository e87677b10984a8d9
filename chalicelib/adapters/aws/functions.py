"""Synchronous invocation of Lambda functions with a bounded wait."""

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from chalicelib.core import json
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.message_version import UnknownVersion

if TYPE_CHECKING:
    from botocore.exceptions import ClientError
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_lambda.type_defs import InvocationRequestTypeDef

    from chalicelib.adapters.aws.session import AwsClients


# boto3 sets the read timeout per client, so one client is kept for each quarter of a second.
_TIMEOUT_STEP_S: Final = 0.25
_SERVER_ERROR: Final = 500


class FunctionBusy(Exception):  # noqa: N818 -- the platform's own answer
    """The function could not be started now; the same call may succeed later.

    `may_have_begun` is true after a 5xx of the platform: the function may be running. `has_waited`:
    the function itself has waited for another one until the call's deadline. During a deployment it
    is also raised where another release of the function does not know the call.
    """

    def __init__(
        self, name: str, *, may_have_begun: bool = False, has_waited: bool = False
    ) -> None:
        """Carry the function's name."""
        super().__init__(name)
        self.may_have_begun = may_have_begun
        self.has_waited = has_waited


class FunctionDied(Exception):  # noqa: N818 -- the platform's own answer
    """The function ended without a response: killed, out of time or out of memory."""


class ConnectionLost(FunctionDied):
    """The connection to the function was lost; it may still be running."""


class FunctionLate(Exception):  # noqa: N818 -- the platform's own answer
    """The function did not respond in time; it may still be running."""


class LambdaFunction:
    """One Lambda function that is invoked synchronously."""

    def __init__(self, clients: "AwsClients", name: str, *, isolates_tenants: bool = False) -> None:
        """Bind to the function of this name or ARN.

        With `isolates_tenants` it was created in tenant isolation mode and needs a tenant id.
        """
        self._clients = clients
        self._name = name
        self._isolates_tenants = isolates_tenants
        self._by_timeout: dict[float, LambdaClient] = {}
        self._lock = threading.Lock()

    def invoke(
        self, event: JsonObject, *, wait_s: float, tenant: str | None = None
    ) -> dict[str, Json]:
        """Invoke the function for a tenant and return its result.

        Lambda takes a tenant id only where the function isolates tenants, and refuses an
        invocation without one there. Raises FunctionBusy, FunctionDied or FunctionLate.
        """
        client = self._client(wait_s)
        try:
            response = client.invoke(**self._request(event, tenant))
            payload = response["Payload"].read()
        # Nothing has begun: the same call may be made once more.
        except (client.exceptions.TooManyRequestsException, *self._connect_errors) as refusal:
            raise FunctionBusy(self._name) from refusal
        except self._timeout_error as late:
            raise FunctionLate(self._name) from late
        except self._connection_errors as lost:
            raise ConnectionLost(self._name) from lost
        except self._client_error as refusal:
            if refusal.response["ResponseMetadata"]["HTTPStatusCode"] < _SERVER_ERROR:
                raise
            # After a 5xx the function may be running: the caller of attempt 1 claims attempt 2
            # (decision 10).
            raise FunctionBusy(self._name, may_have_begun=True) from refusal
        if error := response.get("FunctionError"):
            # The functions report an error of theirs with the class name as message.
            message = _error_message(payload)
            # A deployment replaces functions one after another: another release is busy, not dead.
            if message in {UnknownVersion.__qualname__, FunctionBusy.__qualname__}:
                has_waited = message == FunctionBusy.__qualname__
                raise FunctionBusy(self._name, has_waited=has_waited)
            raise FunctionDied(self._name, error)
        result: dict[str, Json] = json.loads_own(payload)
        return result

    def start(self, event: JsonObject, *, wait_s: float, tenant: str) -> Future[dict[str, Json]]:
        """Invoke the function in a thread; the future has the result or exception of `invoke`.

        boto3 cannot abandon a call: its caller stops waiting for the future instead.
        """
        pool = ThreadPoolExecutor(1, thread_name_prefix="invocation")
        # The context carries the ids of log lines.
        call = partial(self.invoke, event, wait_s=wait_s, tenant=tenant)
        result = pool.submit(copy_context().run, call)
        pool.shutdown(wait=False)
        return result

    def prepare_client(self, wait_s: float) -> None:
        """Create the client for this timeout before the first call needs it."""
        self._client(wait_s)

    def _request(self, event: JsonObject, tenant: str | None) -> "InvocationRequestTypeDef":
        request: InvocationRequestTypeDef = {
            "FunctionName": self._name,
            "Payload": json.dumps(event).encode(),
        }
        if self._isolates_tenants and tenant is not None:
            request["TenantId"] = tenant
        return request

    def _client(self, wait_s: float) -> "LambdaClient":
        seconds = max(_TIMEOUT_STEP_S, wait_s // _TIMEOUT_STEP_S * _TIMEOUT_STEP_S)
        client = self._by_timeout.get(seconds)
        if client is None:
            # Creating a client takes long: threads that need the same one wait for it.
            with self._lock:
                client = self._by_timeout.get(seconds)
                if client is None:
                    client = self._by_timeout[seconds] = self._clients.lambda_client(seconds)
        return client

    # botocore is imported with the first call, not with this module (decision 7).

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


def _error_message(payload: bytes) -> object:
    """Return the message of a failed invocation, or None.

    It is the function's own message, or the platform's where the function was killed.
    """
    try:
        error = json.loads_own(payload)
    except ValueError:
        return None
    return error.get("errorMessage") if isinstance(error, dict) else None
