"""Transient errors of AWS: throttling, 5xx, lost connections and busy functions."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.objects import ObjectsNotDeleted
from chalicelib.adapters.aws.queues import SendBatchFailed
from chalicelib.adapters.aws.table import Throttled

if TYPE_CHECKING:
    from botocore.exceptions import ClientError

log = logging.getLogger(__name__)

_THROTTLING_CODES: Final = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "RequestThrottled",
    "SlowDown",
    "Throttling",
    "ThrottlingException",
    "TooManyRequestsException",
    "TransactionInProgressException",
}
_SERVER_ERROR: Final = 500


def is_transient(error: Exception) -> bool:
    """Tell whether the same call may succeed later; the failed call may have taken effect."""
    # botocore is imported with the first client, not with this module (decision 7).
    from botocore.exceptions import (  # noqa: PLC0415
        ClientError,
        ConnectionError,  # noqa: A004 -- botocore's name
        HTTPClientError,
        IncompleteReadError,
    )

    connection_errors = (ConnectionError, HTTPClientError, IncompleteReadError)
    if isinstance(error, ClientError):
        return _is_throttled_or_server_error(error)
    own_errors = (Throttled, SendBatchFailed, ObjectsNotDeleted, FunctionBusy)
    return isinstance(error, (*own_errors, *connection_errors))


@contextmanager
def tolerate_transient(message: str) -> Iterator[None]:
    """Log transient errors as `message` and go on; for work that maintenance repeats later."""
    try:
        yield
    except Exception as fault:
        if not is_transient(fault):
            raise
        log.warning(message, extra={"fault": type(fault).__name__})


def _is_throttled_or_server_error(error: "ClientError") -> bool:
    if error.response.get("Error", {}).get("Code") in _THROTTLING_CODES:
        return True
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    return status >= _SERVER_ERROR
