"""Handler of the events queue: the relay publishes each event to its subscribers."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from chalicelib.adapters.aws.messages import (
    PoisonMessage,
    QueueConsumer,
    ReceivedMessage,
    UnknownVersion,
    parse_message,
)
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.json_logs import configure_logging, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.clock import SystemClock
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.relay import OutboxRelay
from chalicelib.settings import RelaySettings


def warm() -> None:
    """Build the services before the first message."""
    configure_logging("relay")
    _consumer()
    _relay()
    Metrics(RelaySettings.from_env().stack, "relay").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Process a batch of the queue; return the messages that failed."""
    configure_logging("relay")
    with log_context(invocation=context.aws_request_id):
        _relay().read_ahead(_readable_messages(event["Records"]))
        return _consumer().process_batch(event["Records"], _handle)


def _readable_messages(records: Sequence[Mapping[str, Any]]) -> Iterator[PublishEvent]:
    for record in records:
        # The consumer rejects unreadable messages when it processes the batch.
        with suppress(PoisonMessage, UnknownVersion):
            yield PublishEvent.from_json(parse_message(record["body"]))


def _handle(message: ReceivedMessage) -> None:
    _relay()(PublishEvent.from_json(message.body))


@cache
def _relay() -> OutboxRelay:
    return workers.relay(RelaySettings.from_env(), _clients(), SystemClock())


@cache
def _consumer() -> QueueConsumer:
    return workers.relay_consumer(RelaySettings.from_env(), _clients())


@cache
def _clients() -> AwsClients:
    return AwsClients()


warm_up_on_lambda(warm)
