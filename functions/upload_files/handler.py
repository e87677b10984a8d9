"""Handler of the function that uploads files; it alone opens the credentials of destinations.

Messages of its queue are files to upload. A direct call is the test of a destination.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from chalicelib.adapters.aws.messages import ReceivedMessage
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.json_logs import ids_in_payload, log_context
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.core.message_version import check_version
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.destinations.request_trial import DestinationTrial
from chalicelib.features.destinations.sessions import StoreSessions
from chalicelib.features.destinations.try_destination import TryDestination

if TYPE_CHECKING:
    from chalicelib.adapters.aws.messages import QueueEvent
    from chalicelib.core.json import JsonObject
    from chalicelib.features.destinations.outgoing import OpenStore

_VERSION: Final = 1


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that uploads a batch of files, or tests a destination."""
    return build_with(parts, {})


def build_with(parts: WorkParts, openers: Mapping[str, "OpenStore"]) -> ServeEvent:
    """Return the function over sessions that `openers` open, by kind."""
    parts.clients.create("dynamodb", "kms", "sqs")
    sealer = SecretSealer(parts.clients, parts.settings.data_key, parts.clock)
    try_destination = TryDestination(
        destinations=Destinations(parts.state.tables, parts.state.main_table),
        sessions=StoreSessions(sealer, openers),
        clock=parts.clock,
        ids=RandomIdGenerator(),
    )

    def serve(event: "QueueEvent") -> Mapping[str, object]:
        call = cast("JsonObject", event)
        if "Records" not in call:
            return test(call)
        return parts.consumer.process_batch(event["Records"], handle)

    def handle(message: ReceivedMessage) -> None:
        check_version(message.body, _VERSION)

    def test(call: "JsonObject") -> Mapping[str, object]:
        """Return the steps of a test; raises InvocationError."""
        with log_context(**ids_in_payload(call)), reported_errors():
            return {"steps": try_destination(DestinationTrial.from_json(call))}

    return serve


handler = WorkFunction("upload_files", build)
warm = handler.warm
warm_up_on_lambda(warm)
