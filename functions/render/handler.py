"""Handler of renders: it claims them, asks the engine and the validators, and finishes them."""

from functools import cache
from typing import TYPE_CHECKING, Final

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.json_logs import configure_logging
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap import render
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.core.clock import SystemClock
from chalicelib.settings import RenderSettings
from functions.render.serve import RenderServices, serve

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.adapters.aws.messages import QueueEvent
    from chalicelib.core.json import Json

# Imported with their first use (decision 7); processes that serve several at once load them before.
LATE_MODULES: Final = (
    "chalicelib.bootstrap.validation",
    "chalicelib.engine.conformance.report",
    "chalicelib.engine.conformance.validate_received",
    "chalicelib.engine.emails.evaluate",
)


def warm() -> None:
    """Build the services and the AWS clients of every render."""
    configure_logging("render")
    _clients().create("s3", "dynamodb", "sqs")
    _services()
    Metrics(RenderSettings.from_env().stack, "render").count("ColdStarts")


def handler(
    event: "QueueEvent | dict[str, Json]", context: "LambdaContext"
) -> "Mapping[str, object]":
    """Answer an invocation with its result, a queue's batch with its failed messages."""
    configure_logging("render")
    return serve(event, context.aws_request_id, _services())


@cache
def _services() -> RenderServices:
    settings, clients, clock = RenderSettings.from_env(), _clients(), SystemClock()
    return RenderServices(
        execute=render.execute_render(settings, clients, clock),
        consumers=render.render_consumers(settings, clients),
        validate_received=render.validate_received(settings, clients, clock),
    )


@cache
def _clients() -> AwsClients:
    return AwsClients()


warm_up_on_lambda(warm)
