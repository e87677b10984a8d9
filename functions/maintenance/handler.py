"""Handler of the maintenance queue: dispatches each due item."""

from functools import cache
from typing import Any

from chalicelib.adapters.aws.messages import QueueConsumer, ReceivedMessage
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.json_logs import configure_logging, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import workers
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.clock import SystemClock
from chalicelib.features.maintenance.dispatch import DueDispatcher
from chalicelib.features.maintenance.due_items import DueItem
from chalicelib.settings import MaintenanceSettings


def warm() -> None:
    """Build the services before the first message."""
    configure_logging("maintenance")
    _consumer()
    _dispatcher()
    Metrics(MaintenanceSettings.from_env().stack, "maintenance").count("ColdStarts")


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Process a batch of the queue; return the messages that failed."""
    configure_logging("maintenance")
    with log_context(invocation=context.aws_request_id):
        return _consumer().process_batch(event["Records"], _handle)


def _handle(message: ReceivedMessage) -> None:
    _dispatcher()(DueItem.from_json(message.body))


@cache
def _dispatcher() -> DueDispatcher:
    return workers.maintenance(MaintenanceSettings.from_env(), _clients(), SystemClock())


@cache
def _consumer() -> QueueConsumer:
    return workers.maintenance_consumer(MaintenanceSettings.from_env(), _clients())


@cache
def _clients() -> AwsClients:
    return AwsClients()


warm_up_on_lambda(warm)
