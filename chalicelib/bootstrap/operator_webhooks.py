"""Webhooks of the operator tool: the log of deliveries, and the forwarding of events."""

from functools import partial
from typing import Final

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.net.transport import Connector
from chalicelib.bootstrap.event_types import EVENT_TYPES
from chalicelib.bootstrap.present_event import event_viewer
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.clock import Clock
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.forwarding.forward import ChooseSecrets, ForwardEvents, WatchEvents
from chalicelib.features.forwarding.sources import workspace_sources
from chalicelib.features.webhooks.deliveries.find import FindDeliveries
from chalicelib.features.webhooks.deliveries.log import DeliveryLog
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.endpoints.secrets import SigningSecrets
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.settings import ForwardSettings, WebhookLogSettings


class WebhookLogService:
    """Log of webhook deliveries: finds, lists and replays them."""

    def __init__(self, settings: WebhookLogSettings, clients: AwsClients, clock: Clock) -> None:
        """Build the use cases."""
        table = settings.main_table
        state = SharedServices(clients, clock, main_table=table, bucket=settings.bucket)
        deliveries = Deliveries(table=state.main_table)
        endpoints = Endpoints(table=state.main_table)
        self.workspaces: Final = Workspaces(table=state.main_table)
        self.log: Final = DeliveryLog(
            deliveries=deliveries,
            endpoints=endpoints,
            objects=state.objects,
            clock=clock,
            queue=partial(Queue, clients, settings.webhooks_queue_url),
        )
        self.find: Final = FindDeliveries(
            workspaces=self.workspaces,
            endpoints=endpoints,
            deliveries=deliveries,
        )


class ForwardService:
    """Forwarding of the events of a workspace to an address of the operator."""

    def __init__(self, settings: ForwardSettings, clients: AwsClients, clock: Clock) -> None:
        """Build the parts that all workspaces share."""
        table = settings.main_table
        self._settings = settings
        self._state = SharedServices(clients, clock, main_table=table, bucket=settings.bucket)
        self.workspaces: Final = Workspaces(table=self._state.main_table)
        endpoints = Endpoints(table=self._state.main_table)
        sealer = SecretSealer(clients, settings.data_key, clock)
        self.choose_secrets: Final = ChooseSecrets(
            endpoints=endpoints,
            secrets=SigningSecrets(endpoints=endpoints, sealer=sealer),
            clock=clock,
        )

    def make_forwarder(self, workspace_id: WorkspaceId, connect: Connector) -> ForwardEvents:
        """Return the forwarder of a workspace, which reaches its address by `connect`."""
        state, settings = self._state, self._settings
        view = event_viewer(
            state,
            signing_secret=settings.signing_secret,
            files_host=settings.files_host,
            region=settings.region,
        )
        return ForwardEvents(
            watch=WatchEvents(
                sources=workspace_sources(state.main_table, workspace_id),
                outbox=state.outbox,
                types=EVENT_TYPES,
                clock=state.clock,
            ),
            view=view(workspace_id),
            connect=connect,
            region=settings.region,
            clock=state.clock,
        )
