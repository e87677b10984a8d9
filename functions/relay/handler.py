"""Handler of the events queue: the relay publishes each event to its subscribers."""

from collections.abc import Mapping, Sequence

from chalicelib.adapters.aws.messages import PoisonMessageError, ReceivedMessage
from chalicelib.adapters.aws.table import Row
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.bootstrap.present_event import event_viewer
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.message_version import UnknownVersion
from chalicelib.features.batches.subscribe import CountBatchItem
from chalicelib.features.destinations.uploads.repository import StorageUploads
from chalicelib.features.destinations.uploads.subscribe import QueueUploads
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.emails.sends.subscribe import QueueEmails
from chalicelib.features.events.model import PublishEvent
from chalicelib.features.events.relay import OutboxRelay
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.subscribe import CountEndedHold, MeasureRender
from chalicelib.features.signed_links.repository import SignedLinks
from chalicelib.features.signed_links.subscribe import GiveBackQuota
from chalicelib.features.usage.subscribe import CountUsage
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.subscribe import QueueWebhooks
from chalicelib.features.workspaces.limits.ended_holds.repository import EndedHolds


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that publishes a batch of events."""
    relay = outbox_relay(parts)
    # What the first event needs is loaded before it.
    parts.clients.create("dynamodb", "sqs")

    def publish(received: Sequence[ReceivedMessage]) -> Mapping[str, Exception]:
        messages: dict[str, PublishEvent] = {}
        failures: dict[str, Exception] = {}
        for message in received:
            try:
                messages[message.id] = PublishEvent.from_json(message.body)
            except (PoisonMessageError, UnknownVersion) as unreadable:
                failures[message.id] = unreadable
        # Two messages of one event are published as one, and both get its outcome (decision 28).
        failed = relay.publish(list(dict.fromkeys(messages.values())))
        return failures | {
            message_id: failed[event] for message_id, event in messages.items() if event in failed
        }

    return lambda event: parts.consumer.process_together(event["Records"], publish)


def outbox_relay(parts: WorkParts) -> OutboxRelay:
    """Return the outbox relay with all its subscribers."""
    state = parts.state
    return OutboxRelay(
        table=state.main_table,
        outbox=state.outbox,
        types=EVENT_TYPES,
        subscribers=(
            state.clean_up,
            CountUsage(table=state.main_table, formats=_counted_formats),
            QueueWebhooks(
                types=EVENT_TYPES,
                endpoints=Endpoints(table=state.main_table),
                deliveries=Deliveries(table=state.main_table),
                outbox=state.outbox,
                objects=state.objects,
                view=event_viewer(
                    state,
                    signing_secret=parts.settings.signing_secret,
                    files_host=parts.settings.files_host,
                    region=parts.settings.region,
                ),
            ),
            QueueEmails(
                stores=EmailStores.over(state.main_table, state.outbox), objects=state.objects
            ),
            QueueUploads(uploads=StorageUploads(state.main_table)),
            CountBatchItem(state.batch_stores.batches, parts.clock),
            GiveBackQuota(links=SignedLinks(table=state.main_table)),
            CountEndedHold(ended=EndedHolds(table=state.main_table), limits=state.limits),
        ),
        queues=parts.queue,
        region=parts.settings.region,
        clock=parts.clock,
        observers=(MeasureRender(metrics=parts.metrics),),
    )


def _counted_formats(row: Row) -> Sequence[str]:
    """Return the formats of the files that came out, of a failed render the requested ones."""
    render = render_of(row)
    return render.file_formats if render.status == "succeeded" else render.requested_formats


handler = WorkFunction("relay", build)
warm = handler.warm
warm_up_on_lambda(warm)
