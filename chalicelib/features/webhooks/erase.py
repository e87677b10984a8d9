"""Erasure of endpoints and deliveries: of deleted workspaces, and after 30 days."""

import datetime as dt
from collections.abc import Iterator

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.query_all import listed_ids
from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import DeliveryId, WorkspaceId
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import Deliveries, expiry, list_partition
from chalicelib.features.webhooks.endpoints.repository import endpoints_partition


class EraseWebhooks(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Eraser of the endpoints and deliveries of a workspace, and of expired deliveries."""

    table: Table
    deliveries: Deliveries
    objects: Objects

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase all of a workspace; yield after each step."""
        # Without endpoints there are no new deliveries; an attempt may still have taken a lease.
        yield from self._erase_endpoints(workspace_id)
        yield from self._erase_deliveries(workspace_id)
        yield from self._erase_endpoints(workspace_id)

    def _erase_endpoints(self, workspace_id: WorkspaceId) -> Iterator[None]:
        return self.table.delete_partition_in_steps(endpoints_partition(workspace_id))

    def _erase_deliveries(self, workspace_id: WorkspaceId) -> Iterator[None]:
        for each in listed_ids(self.table, list_partition(workspace_id)):
            for delivery in self.deliveries.get_many(workspace_id, [DeliveryId(each)]):
                self.erase_delivery(delivery)
            yield

    def erase_expired(
        self, workspace_id: WorkspaceId, delivery_id: DeliveryId, now: dt.datetime
    ) -> None:
        """Erase a delivery if its time in the log is over."""
        for delivery in self.deliveries.get_many(workspace_id, [delivery_id]):
            if delivery.next_attempt_at is None and expiry(delivery) <= format_rfc3339(now):
                self.erase_delivery(delivery)

    def erase_delivery(self, delivery: WebhookDelivery) -> None:
        """Erase a delivery; its payload first, which a crash would leave without a name."""
        if delivery.payload_key is not None:
            self.objects.delete(delivery.payload_key)
            crash_if_armed(CrashPoint.WEBHOOK_PAYLOAD_ERASED)
        self.deliveries.erase(delivery.workspace_id, delivery.id)
