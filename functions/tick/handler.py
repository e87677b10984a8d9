"""The tick: every minute, hands what is due to the queue that does it."""

from functools import cache
from typing import Any

from chalicelib.adapters.aws.session import Clients
from chalicelib.adapters.json_logs import configure, scope
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.start import at_start
from chalicelib.core.clock import SystemClock
from chalicelib.features.due.tick import Tick
from chalicelib.settings import TickSettings


def warm() -> None:
    """Build what the first tick would wait for."""
    configure("tick")
    _tick()
    Metrics(TickSettings.from_env().stack, "tick").count("ColdStarts")


def handler(_event: dict[str, Any], context: Any) -> dict[str, int]:
    """Hand out what is due; answer with how many items that were."""
    configure("tick")
    with scope(invocation=context.aws_request_id):
        return {"handed": _tick()()}


@cache
def _tick() -> Tick:
    return workers.tick(TickSettings.from_env(), Clients(), SystemClock())


at_start(warm)
