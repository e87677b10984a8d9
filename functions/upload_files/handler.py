"""Handler of the function that uploads files; it alone opens the credentials of destinations.

Messages of its queue are files to upload. A direct call is the test of a destination.
"""

import datetime as dt
import secrets
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, cast

from chalicelib.adapters.aws.messages import ReceivedMessage
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.json_logs import ids_in_payload, log_context
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.invocation_errors import reported_errors
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.ids import RandomIdGenerator
from chalicelib.features.destinations.providers.azure_blob import open_azure_blob
from chalicelib.features.destinations.providers.gcs import open_gcs
from chalicelib.features.destinations.providers.s3 import open_s3
from chalicelib.features.destinations.providers.sftp import open_sftp
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.destinations.request_trial import DestinationTrial
from chalicelib.features.destinations.sessions import StoreSessions
from chalicelib.features.destinations.try_destination import RunDestinationTrial
from chalicelib.features.destinations.uploads.message import UploadFilesMessage
from chalicelib.features.destinations.uploads.record_round import RecordAttempts
from chalicelib.features.destinations.uploads.upload_files import UploadFiles

if TYPE_CHECKING:
    from chalicelib.adapters.aws.messages import QueueEvent
    from chalicelib.core.json import JsonObject
    from chalicelib.features.destinations.outgoing import OpenStore

# Imported with their first use (decision 7); processes that serve several at once load them before.
LATE_MODULES: Final = (
    "chalicelib.adapters.net.http",
    "chalicelib.adapters.net.sftp",
    "chalicelib.adapters.net.sftp_faults",
)
# No message begins later; the function has 480 s, and an upload takes 220 s at most.
_TIME_FOR_BATCH: Final = dt.timedelta(seconds=240)


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that uploads a batch of files, or tests a destination."""
    settings = parts.settings
    egress = GuardedEgress(allow=settings.egress_allow, own_hosts=settings.own_hosts)
    openers = {
        "s3": open_s3(egress),
        "gcs": open_gcs(egress, settings.storage_base_gcs),
        "azure_blob": open_azure_blob(egress),
        "sftp": open_sftp(egress),
    }
    return build_with(parts, openers)


def build_with(parts: WorkParts, openers: Mapping[str, "OpenStore"]) -> ServeEvent:
    """Return the function over sessions that `openers` open, by provider."""
    parts.clients.create("dynamodb", "kms", "s3", "sqs")
    sealer = SecretSealer(parts.clients, parts.settings.data_key, parts.clock)
    sessions = StoreSessions(sealer=sealer, openers=openers)
    destinations = Destinations(table=parts.state.main_table)
    upload_files = _upload_files(parts, destinations, sessions)
    queue = parts.queue("uploads")
    try_destination = RunDestinationTrial(
        destinations=destinations, sessions=sessions, clock=parts.clock, ids=RandomIdGenerator()
    )

    def serve(event: "QueueEvent") -> Mapping[str, object]:
        call = cast("JsonObject", event)
        if "Records" not in call:
            return test(call)
        ends_at = parts.clock.now() + _TIME_FOR_BATCH

        def handle(message: ReceivedMessage) -> None:
            upload_message = UploadFilesMessage.from_json(message.body)
            if parts.clock.now() >= ends_at:
                # This function has no time left for it.
                queue.send(
                    upload_message.to_json(),
                    group=upload_message.workspace_id,
                    delay=dt.timedelta(seconds=1),
                )
            else:
                upload_files(upload_message, secrets.token_hex(8), ends_at)

        return parts.consumer.process_batch(event["Records"], handle)

    def test(call: "JsonObject") -> Mapping[str, object]:
        """Return the steps of a test; raises InvocationError."""
        with log_context(**ids_in_payload(call)), reported_errors():
            return {"steps": try_destination(DestinationTrial.from_json(call))}

    return serve


def _upload_files(
    parts: WorkParts, destinations: Destinations, sessions: StoreSessions
) -> UploadFiles:
    state = parts.state
    return UploadFiles(
        table=state.main_table,
        destinations=destinations,
        attempts=RecordAttempts(
            table=state.main_table,
            outbox=state.outbox,
            queue=parts.queue("uploads"),
            events_queue=parts.queue("events"),
            clock=parts.clock,
            on_result=lambda status: parts.metrics.count("UploadResults", status=status),
        ),
        objects=state.objects,
        open_session=sessions.open,
        clock=parts.clock,
    )


handler = WorkFunction("upload_files", build)
warm = handler.warm
warm_up_on_lambda(warm)
