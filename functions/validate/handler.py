"""Handler of conformance checks by the official validators, kept in one process (decision 23)."""

import base64
import logging
import time
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, NotRequired, TypedDict

import msgspec

from chalicelib.adapters.json_logs import configure_logging, ids_in_payload, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import validation
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import CheckJson, ConformanceCheck, Verdict
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.ports import HostUnreachableError
from chalicelib.settings import ValidateSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.bootstrap.validation import ValidationServices

log = logging.getLogger(__name__)

# Of a file that a render may have.
_MAX_BYTES: Final = 100_000_000


class ValidateEvent(TypedDict):
    """Call of the function; `content` is in base64, `until` in Unix seconds."""

    checks: Sequence[CheckJson]
    until: float
    content: NotRequired[str]
    url: NotRequired[str]
    request_id: NotRequired[str]
    render: NotRequired[str]
    workspace: NotRequired[str]


def warm() -> None:
    """Build the cheap services; the validators start with the first check."""
    configure_logging("validate")
    _services()
    Metrics(ValidateSettings.from_env().stack, "validate").count("ColdStarts")


def handler(event: ValidateEvent, context: "LambdaContext") -> JsonObject:
    """Return the verdicts of a document, given as `content` in base64 or at a presigned `url`.

    Log lines carry the ids in the event: request, render and workspace. Raises
    TenantIsolationError before anything is run.
    """
    configure_logging("validate")
    _services().tenant_guard.admit(context.tenant_id)
    deadline = Deadline.at_epoch(min(event["until"], _invocation_deadline(context)))
    with log_context(invocation=context.aws_request_id, **ids_in_payload(event)):
        checks = [ConformanceCheck.from_json(check) for check in event["checks"]]
        # A lost document is no fault of its validators: each check is `unavailable` (decision 23).
        document = _document(event, deadline)
        if document is None:
            verdicts = [Verdict(why="the document is gone") for _ in checks]
        else:
            verdicts = list(_services().validator.validate(document, checks, deadline))
        return {"verdicts": msgspec.to_builtins([verdict.to_json() for verdict in verdicts])}


def _document(event: ValidateEvent, deadline: Deadline) -> bytes | None:
    if "url" in event:
        try:
            return _services().objects.get(
                event["url"], max_bytes=_MAX_BYTES, timeout_s=deadline.remaining_s()
            )
        except HostUnreachableError:
            log.warning("the document could not be fetched", exc_info=True)
            return None
    return base64.b64decode(event["content"])


def _invocation_deadline(context: "LambdaContext") -> float:
    """Return when this invocation must return (Unix seconds)."""
    remaining_s = context.get_remaining_time_in_millis() / 1000
    # A second for the answer: a function that the platform ends gives no verdict at all.
    return time.time() + remaining_s - 1


@cache
def _services() -> "ValidationServices":
    return validation.validation_services(ValidateSettings.from_env())


warm_up_on_lambda(warm)
