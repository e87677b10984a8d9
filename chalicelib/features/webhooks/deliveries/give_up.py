"""Resolution of the dead letter of a delivery."""

import msgspec

from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.repository import Deliveries


class GiveUpDelivery(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolution of a dead letter: the delivery ends as failed."""

    deliveries: Deliveries
    clock: Clock

    def __call__(self, message: JsonObject) -> str:
        """End the delivery if it is open and unclaimed, and return the outcome as text."""
        webhook_message = DeliverWebhook.from_json(message)
        bind(workspace=webhook_message.workspace_id)
        now = format_rfc3339(self.clock.now())
        if self.deliveries.give_up(webhook_message.workspace_id, webhook_message.delivery_id, now):
            crash_if_armed(CrashPoint.WEBHOOK_GIVEN_UP)
            return "the delivery ended as failed"
        return "the delivery had ended, or goes on with another message"
