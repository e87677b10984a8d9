"""The upkeep: does for each due item that the upkeep queue brings what it is due for."""

from functools import cache
from typing import Any

from chalicelib.adapters.aws.messages import Inbox, Message
from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.json_logs import configure, scope
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.start import at_start
from chalicelib.core.clock import SystemClock
from chalicelib.features.due.message import LookAt
from chalicelib.features.upkeep.look_after import LookAfter
from chalicelib.settings import UpkeepSettings


def warm() -> None:
    """Build what the first message would wait for."""
    configure("upkeep")
    _inbox()
    _upkeep()
    Metrics(UpkeepSettings.from_env().stack, "upkeep").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Work off a queue's batch; answer with the messages that failed."""
    configure("upkeep")
    with scope(invocation=context.aws_request_id):
        return _inbox().work_off(event["Records"], _handle)


def _handle(message: Message) -> None:
    _upkeep()(LookAt.from_json(message.body))


@cache
def _upkeep() -> LookAfter:
    return workers.upkeep(UpkeepSettings.from_env(), _clients(), SystemClock())


@cache
def _inbox() -> Inbox:
    return workers.upkeep_inbox(UpkeepSettings.from_env(), _clients())


@cache
def _clients() -> Clients:
    return Clients()


at_start(warm)
