"""Search of deliveries: by id across workspaces, and by the events they carry; for operators."""

from collections.abc import Iterable, Iterator
from itertools import batched

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.clock import epoch_ms, parse_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.workspaces.repository import Workspaces


class FindDeliveries(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Finds deliveries, those of deleted endpoints too; it writes nothing."""

    workspaces: Workspaces
    endpoints: Endpoints
    deliveries: Deliveries

    def one(self, delivery_id: str, workspace_id: WorkspaceId | None) -> WebhookDelivery:
        """Return a delivery, of `workspace_id` if given; raises `not_found`."""
        known = is_id("whd", delivery_id)
        ids = [workspace_id] if workspace_id else [row.id for row in self.workspaces.all()]
        for some in batched(ids if known else (), BATCH_GET_LIMIT, strict=False):
            delivery = self.deliveries.find_in_workspaces(some, delivery_id)
            if delivery is not None:
                return self._at_endpoint(delivery)
        where = "that workspace" if workspace_id else "any workspace"
        raise NotFound("not_found", f"There is no webhook delivery {delivery_id[:64]} in {where}.")

    def of_events(self, events: Iterable[DomainEvent]) -> Iterator[WebhookDelivery]:
        """Yield the deliveries of events.

        The id of a delivery has the time of its event. So the list of the workspace is read for
        the millisecond of each event, and no endpoint needs to be known.
        """
        for event in events:
            milliseconds = epoch_ms(parse_rfc3339(event.created_at))
            found = self.deliveries.ids_of_time(event.workspace_id, milliseconds)
            for ids in batched(found, BATCH_GET_LIMIT, strict=False):
                for delivery in self.deliveries.get_many(event.workspace_id, ids):
                    if delivery.event_id == event.id:
                        yield self._at_endpoint(delivery)

    def _at_endpoint(self, delivery: WebhookDelivery) -> WebhookDelivery:
        if delivery.endpoint_id is None or not delivery.is_open:
            return delivery
        endpoint = self.endpoints.find(delivery.workspace_id, delivery.endpoint_id)
        return delivery.at_endpoint(endpoint)
