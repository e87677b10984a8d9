"""Judges finished files by the official validators, which stay warm in a process of their own."""

import base64
import time
from functools import cache
from typing import TYPE_CHECKING, Any

from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.json_logs import configure, ids_of, scope
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import validation
from chalicelib.bootstrap.start import at_start
from chalicelib.engine.conformance.checks import Check, Verdict
from chalicelib.engine.deadline import Deadline
from chalicelib.settings import ValidateSettings

if TYPE_CHECKING:
    from chalicelib.bootstrap.validation import Bench


def warm() -> None:
    """Build what costs nothing: the validators themselves start with the first question."""
    configure("validate")
    _bench()
    Metrics(ValidateSettings.from_env().stack, "validate").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Answer the checks of one document, given as `content` in base64 or as the `key` of one.

    Its lines carry the ids that came along of what the document is made for.
    """
    configure("validate")
    deadline = Deadline.at_epoch(min(event["until"], _end(context)))
    with scope(invocation=context.aws_request_id, **ids_of(event)):
        checks = [Check.from_json(check) for check in event["checks"]]
        document = _document(event)
        if document is None:
            verdicts = [Verdict(why="the document is gone") for _ in checks]
        else:
            verdicts = list(_bench().judge.judge(document, checks, deadline))
        return {"verdicts": [verdict.to_json() for verdict in verdicts]}


def _document(event: dict[str, Any]) -> bytes | None:
    if "key" in event:
        return _bench().objects.get(event["key"])
    return base64.b64decode(event["content"])


def _end(context: Any) -> float:
    """Return when this invocation must have answered."""
    remaining_s: float = context.get_remaining_time_in_millis() / 1000
    return time.time() + remaining_s - 1


@cache
def _bench() -> "Bench":
    return validation.bench(ValidateSettings.from_env(), Clients())


at_start(warm)
