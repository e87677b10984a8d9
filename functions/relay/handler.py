"""The relay: tells each fact that the events queue brings to whoever listens."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from chalicelib.adapters.aws.messages import Inbox, Message, Poison, UnknownVersion, read_body
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.json_logs import configure, scope
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.start import at_start
from chalicelib.core.clock import SystemClock
from chalicelib.features.facts.message import TellFact
from chalicelib.features.facts.relay import RelayFacts
from chalicelib.settings import RelaySettings


def warm() -> None:
    """Build what the first message would wait for."""
    configure("relay")
    _inbox()
    _relay()
    Metrics(RelaySettings.from_env().stack, "relay").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Work off a queue's batch; answer with the messages that failed."""
    configure("relay")
    with scope(invocation=context.aws_request_id):
        _relay().read_ahead(_readable(event["Records"]))
        return _inbox().work_off(event["Records"], _handle)


def _readable(records: Sequence[Mapping[str, Any]]) -> Iterator[TellFact]:
    for record in records:
        # What cannot be read is the inbox's business.
        with suppress(Poison, UnknownVersion):
            yield TellFact.from_json(read_body(record["body"]))


def _handle(message: Message) -> None:
    _relay()(TellFact.from_json(message.body))


@cache
def _relay() -> RelayFacts:
    return workers.relay(RelaySettings.from_env(), _clients(), SystemClock())


@cache
def _inbox() -> Inbox:
    return workers.relay_inbox(RelaySettings.from_env(), _clients())


@cache
def _clients() -> Clients:
    return Clients()


at_start(warm)
