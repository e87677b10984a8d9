"""Handler of the dead-letter queues: resolve each message and record it (decision 11)."""

import datetime as dt
import logging
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from chalicelib.adapters.aws.queues import REASON_ATTRIBUTE, TRANSIENT_ATTRIBUTE
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.json_logs import configure_logging, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.clock import SystemClock, format_rfc3339
from chalicelib.features.dead_letters.record import DeadLetterMessage, RecordDeadLetter
from chalicelib.settings import DeadLettersSettings

log = logging.getLogger(__name__)

# Dead letters have no further queue: after ten minutes of failures they are recorded unresolved.
_MAX_TRIES: Final = 5


def warm() -> None:
    """Build the services before the first message."""
    configure_logging("dead_letters")
    _record_dead_letter()
    Metrics(DeadLettersSettings.from_env().stack, "dead_letters").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Record a batch of dead letters; return the messages that failed."""
    configure_logging("dead_letters")
    with log_context(invocation=context.aws_request_id):
        return serve(event, _record_dead_letter(), _queue_names())


def serve(
    event: dict[str, Any], record_letter: RecordDeadLetter, queue_names: Mapping[str, str]
) -> dict[str, Any]:
    """Record the messages of an event; `queue_names` maps each dead-letter queue to its source."""
    failed = []
    for record in event["Records"]:
        with log_context(message_id=record["messageId"]):
            try:
                _record_message(record, record_letter, queue_names)
            except Exception:
                log.exception("message failed")
                failed.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failed}


def _record_message(
    record: Mapping[str, Any], record_letter: RecordDeadLetter, queue_names: Mapping[str, str]
) -> None:
    sent_ms = int(record["attributes"]["SentTimestamp"])
    message = DeadLetterMessage(
        id=record["messageId"],
        body=record["body"],
        sent_at=format_rfc3339(dt.datetime.fromtimestamp(sent_ms / 1000, dt.UTC)),
        reason=_attribute(record, REASON_ATTRIBUTE),
        is_transient=_attribute(record, TRANSIENT_ATTRIBUTE) == str(True),
    )
    tries = int(record["attributes"]["ApproximateReceiveCount"])
    queue = queue_names[record["eventSourceARN"].rsplit(":", 1)[-1]]
    record_letter(queue, message, is_last_try=tries >= _MAX_TRIES)


def _attribute(record: Mapping[str, Any], name: str) -> str | None:
    value: str | None = record.get("messageAttributes", {}).get(name, {}).get("stringValue")
    return value


@cache
def _record_dead_letter() -> RecordDeadLetter:
    return workers.dead_letters(DeadLettersSettings.from_env(), AwsClients(), SystemClock())


@cache
def _queue_names() -> Mapping[str, str]:
    settings = DeadLettersSettings.from_env()
    urls = {
        settings.renders_dead_letters_url: "renders",
        settings.events_dead_letters_url: "events",
        settings.maintenance_dead_letters_url: "upkeep",
    }
    return {url.rsplit("/", 1)[-1]: name for url, name in urls.items()}


warm_up_on_lambda(warm)
