"""Handler of the dead-letter queues: resolve each message and record it (decision 11)."""

import datetime as dt
import logging
from collections.abc import Mapping
from typing import Final

from chalicelib.adapters.aws.messages import (
    BatchItemFailure,
    BatchResponse,
    QueueEvent,
    QueueRecord,
)
from chalicelib.adapters.aws.queues import REASON_ATTRIBUTE, TRANSIENT_ATTRIBUTE
from chalicelib.adapters.aws.table import Table
from chalicelib.adapters.json_logs import log_context
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.work import DEAD_LETTER_QUEUES, WORK
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.clock import format_rfc3339
from chalicelib.features.dead_letters.record import DeadLetterMessage, RecordDeadLetter
from chalicelib.features.dead_letters.repository import DeadLetters

log = logging.getLogger(__name__)

# Dead letters have no further queue: after ten minutes of failures they are recorded unresolved.
_MAX_TRIES: Final = 5


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that records a batch and answers with the messages that failed."""
    settings = parts.settings
    record_letter = RecordDeadLetter(
        letters=DeadLetters(
            table=Table(parts.state.clients, settings.transient_table), clock=parts.clock
        ),
        resolutions={
            row.queues[0]: row.resolve(parts) for row in WORK.values() if row.resolve is not None
        },
        metrics=parts.metrics,
        clock=parts.clock,
    )
    queue_names = {
        settings.dead_letters_url(queue).rsplit("/", 1)[-1]: queue for queue in DEAD_LETTER_QUEUES
    }

    def serve(event: QueueEvent) -> BatchResponse:
        failed: list[BatchItemFailure] = []
        for record in event["Records"]:
            with log_context(message_id=record["messageId"]):
                try:
                    _record_message(record, record_letter, queue_names)
                except Exception:
                    log.exception("message failed")
                    failed.append({"itemIdentifier": record["messageId"]})
        return {"batchItemFailures": failed}

    return serve


def _record_message(
    record: QueueRecord, record_letter: RecordDeadLetter, queue_names: Mapping[str, str]
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


def _attribute(record: QueueRecord, name: str) -> str | None:
    attribute = record.get("messageAttributes", {}).get(name)
    return attribute.get("stringValue") if attribute else None


handler = WorkFunction("dead_letters", build)
warm = handler.warm
warm_up_on_lambda(warm)
