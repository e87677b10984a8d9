"""Invocation of the render function with retries, for work that makes no render."""

import logging
import time
from collections.abc import Mapping
from typing import Any, Final

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.core.clock import Clock
from chalicelib.core.errors import ServiceError
from chalicelib.features.renders.model import MAX_ATTEMPTS

log = logging.getLogger(__name__)

_RETRY_PAUSE_S: Final = 0.15


def invoke_with_retry(
    function: LambdaFunction,
    event: Mapping[str, Any],
    *,
    purpose: str,
    deadline: float,
    clock: Clock,
) -> dict[str, Any]:
    """Return the function's answer, by `deadline` (Unix seconds).

    Retries while the function is busy, and up to MAX_ATTEMPTS times if it dies. Raises
    `region_degraded`, whose text names the `purpose`, if no answer comes.
    """
    deaths = 0
    while deaths < MAX_ATTEMPTS and (left_s := deadline - clock.now().timestamp()) > 0:
        try:
            return function.invoke(event, wait_s=left_s)
        except FunctionBusy:
            time.sleep(min(_RETRY_PAUSE_S, left_s))
        except FunctionDied:
            deaths += 1
            log.warning("the render function died", extra={"attempt": deaths})
        except FunctionLate:
            break
    raise no_capacity_error(purpose)


def no_capacity_error(purpose: str) -> ServiceError:
    """Return `region_degraded`, whose text names the `purpose`."""
    return ServiceError(
        "region_degraded",
        f"There was no room for {purpose} in time; send the request again.",
        headers={"Retry-After": "5"},
    )
