"""The dead letters of every queue: what each stands for is ended, and a record is kept."""

import datetime as dt
import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from chalicelib.adapters.aws.queues import PASSING, REASON
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.json_logs import configure, scope
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.start import at_start
from chalicelib.core.clock import SystemClock, rfc3339
from chalicelib.features.dead_letters.bury import BuryMessage, DeadMessage
from chalicelib.settings import DeadLettersSettings

log = logging.getLogger(__name__)

# Dead letters have nowhere else to go: after ten minutes of failing they are recorded as they are.
_TRIES: Final = 5


def warm() -> None:
    """Build what the first message would wait for."""
    configure("dead_letters")
    _bury()
    Metrics(DeadLettersSettings.from_env().stack, "dead_letters").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Bury a batch; answer with the messages that failed."""
    configure("dead_letters")
    with scope(invocation=context.aws_request_id):
        return serve(event, _bury(), _names())


def serve(event: dict[str, Any], bury: BuryMessage, names: Mapping[str, str]) -> dict[str, Any]:
    """Bury the messages of an event; `names` tells which queue each dead-letter queue is of."""
    failed = []
    for record in event["Records"]:
        with scope(message_id=record["messageId"]):
            try:
                _one(record, bury, names)
            except Exception:
                log.exception("message failed")
                failed.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failed}


def _one(record: Mapping[str, Any], bury: BuryMessage, names: Mapping[str, str]) -> None:
    sent_ms = int(record["attributes"]["SentTimestamp"])
    message = DeadMessage(
        id=record["messageId"],
        body=record["body"],
        sent_at=rfc3339(dt.datetime.fromtimestamp(sent_ms / 1000, dt.UTC)),
        reason=_attribute(record, REASON),
        passing=_attribute(record, PASSING) == str(True),
    )
    tries = int(record["attributes"]["ApproximateReceiveCount"])
    queue = names[record["eventSourceARN"].rsplit(":", 1)[-1]]
    bury(queue, message, last_try=tries >= _TRIES)


def _attribute(record: Mapping[str, Any], name: str) -> str | None:
    value: str | None = record.get("messageAttributes", {}).get(name, {}).get("stringValue")
    return value


@cache
def _bury() -> BuryMessage:
    return workers.dead_letters(DeadLettersSettings.from_env(), Clients(), SystemClock())


@cache
def _names() -> Mapping[str, str]:
    settings = DeadLettersSettings.from_env()
    urls = {
        settings.renders_dead_letters_url: "renders",
        settings.events_dead_letters_url: "events",
        settings.upkeep_dead_letters_url: "upkeep",
    }
    return {url.rsplit("/", 1)[-1]: name for url, name in urls.items()}


at_start(warm)
