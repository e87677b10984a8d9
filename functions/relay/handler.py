"""Handler of the events queue: the relay publishes each event to its subscribers."""

from collections.abc import Mapping, Sequence

from chalicelib.adapters.aws.messages import PoisonMessage, ReceivedMessage
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.signing_keys import SigningKeys
from chalicelib.adapters.aws.table import Item
from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.bootstrap.work_function import ServeEvent, WorkFunction, WorkParts
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import UnknownVersion
from chalicelib.features.events.model import DomainEvent, EventType, PublishEvent
from chalicelib.features.events.relay import OutboxRelay
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.renders.events import RENDER_EVENT_TYPES
from chalicelib.features.renders.measure import MeasureRender
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.rows import render_of
from chalicelib.features.renders.run.after_final import CountEndedHold
from chalicelib.features.usage.count import CountUsage
from chalicelib.features.webhooks.deliveries import Deliveries
from chalicelib.features.webhooks.endpoints import Endpoints
from chalicelib.features.webhooks.subscribe import PresentObject, QueueWebhooks
from chalicelib.features.workspaces.limits.ended_holds import EndedHolds
from chalicelib.features.workspaces.repository import Workspaces


def build(parts: WorkParts) -> ServeEvent:
    """Return the function that publishes a batch of events."""
    relay = outbox_relay(parts)

    def publish(received: Sequence[ReceivedMessage]) -> Mapping[str, Exception]:
        messages: dict[str, PublishEvent] = {}
        failures: dict[str, Exception] = {}
        for message in received:
            try:
                messages[message.id] = PublishEvent.from_json(message.body)
            except (PoisonMessage, UnknownVersion) as unreadable:
                failures[message.id] = unreadable
        failed = relay.publish(list(dict.fromkeys(messages.values())))
        return failures | {
            message_id: failed[event] for message_id, event in messages.items() if event in failed
        }

    return lambda event: parts.consumer.process_together(event["Records"], publish)


def outbox_relay(parts: WorkParts) -> OutboxRelay:
    """Return the outbox relay with all its subscribers."""
    state = parts.state
    return OutboxRelay(
        tables=state.tables,
        outbox=state.outbox,
        types=EVENT_TYPES,
        subscribers=(
            state.clean_up,
            CountUsage(state.main_table, _counted_formats),
            QueueWebhooks(
                types=EVENT_TYPES,
                endpoints=Endpoints(state.tables, state.main_table),
                deliveries=Deliveries(state.tables, state.main_table),
                objects=state.objects,
                present=_present_event(parts),
            ),
            CountEndedHold(ended=EndedHolds(state.tables, state.main_table), limits=state.limits),
        ),
        queues=parts.queue,
        region=parts.settings.region,
        clock=parts.clock,
        observers=(MeasureRender(parts.metrics),),
    )


def _present_event(parts: WorkParts) -> PresentObject:
    """Return the presenter of events: of a render as the API shows it."""
    state, settings, clock = parts.state, parts.settings, parts.clock
    workspaces = Workspaces(state.tables, state.main_table)
    signing_keys = SigningKeys(Secret(parts.clients, settings.signing_secret, clock), clock)
    file_urls = SignedFileUrls(
        files=state.files,
        workspaces=workspaces,
        objects=state.objects,
        clock=clock,
        files_host=settings.files_host,
        signing_keys=lambda: signing_keys.valid_keys,
    )
    present_render = PresentRender(file_urls=file_urls, clock=clock)

    def present(event_type: EventType, event: DomainEvent, row: Item) -> JsonObject:
        assert event_type.describe is not None
        if event_type not in RENDER_EVENT_TYPES:
            return event_type.describe(event, row)
        workspace = workspaces.get(event.workspace_id)
        with_urls = workspace is None or workspace.webhook_file_urls
        return present_render(render_of(row).at(event.created_at), with_urls=with_urls)

    return present


def _counted_formats(row: Item) -> Sequence[str]:
    """Return the formats of the files that came out, of a failed render the requested ones."""
    render = render_of(row)
    return render.file_formats if render.status == "succeeded" else render.requested_formats


handler = WorkFunction("relay", build)
warm = handler.warm
warm_up_on_lambda(warm)
