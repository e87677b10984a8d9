"""Handler of the tick: every minute, sends due items to their queues."""

from functools import cache
from typing import Any

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.json_logs import configure_logging, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.clock import SystemClock
from chalicelib.features.maintenance.tick import Tick
from chalicelib.settings import TickSettings


def warm() -> None:
    """Build the services before the first tick."""
    configure_logging("tick")
    _tick()
    Metrics(TickSettings.from_env().stack, "tick").count("ColdStarts")


def handler(_event: dict[str, Any], context: Any) -> dict[str, int]:
    """Queue the due items; return their number."""
    configure_logging("tick")
    with log_context(invocation=context.aws_request_id):
        return {"handed": _tick()()}


@cache
def _tick() -> Tick:
    return workers.tick(TickSettings.from_env(), AwsClients(), SystemClock())


warm_up_on_lambda(warm)
