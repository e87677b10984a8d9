"""Handler of the function that sends emails: tests connections, whose credentials it opens."""

from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Tables
from chalicelib.adapters.json_logs import configure_logging, ids_in_payload, log_context
from chalicelib.adapters.metrics import Metrics
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import arm_crash_points, warm_up_on_lambda
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.features.emails.connections import EmailConnections
from chalicelib.features.emails.request_trial import ConnectionTrial
from chalicelib.features.emails.try_connection import TryConnection
from chalicelib.settings import SendEmailSettings

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from chalicelib.core.json import Json, JsonObject


def warm() -> None:
    """Build the services of every call."""
    configure_logging("send_email")
    _services()
    Metrics(SendEmailSettings.from_env().stack, "send_email").count("ColdStarts")


def handler(event: "dict[str, Json]", context: "LambdaContext") -> "JsonObject":
    """Answer a call with the steps of a test."""
    configure_logging("send_email")
    return serve(event, context, _services())


def serve(event: "JsonObject", context: "LambdaContext", services: TryConnection) -> "JsonObject":
    """Return the JSON of the answer to a call; log lines carry the ids in it.

    Raises InvocationError.
    """
    with (
        log_context(invocation=context.aws_request_id, **ids_in_payload(event)),
        reported_errors(),
    ):
        return {"steps": services(ConnectionTrial.from_json(event))}


def build(settings: SendEmailSettings, clients: AwsClients, clock: Clock) -> TryConnection:
    """Return the test of connections."""
    egress = GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts)
    return TryConnection(
        connections=EmailConnections(Tables(clients), settings.main_table),
        sealer=SecretSealer(clients, settings.data_key, clock),
        connect=egress.connect,
        hello=urlsplit(settings.base_url).hostname or "localhost",
        clock=clock,
    )


@cache
def _services() -> TryConnection:
    settings = SendEmailSettings.from_env()
    arm_crash_points(settings.crash_points)
    return build(settings, AwsClients(), SystemClock())


warm_up_on_lambda(warm)
