"""Message of the webhook queues."""

from typing import Final, NamedTuple

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import text_fields
from chalicelib.core.ids import DeliveryId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version

DELIVER_WEBHOOK_VERSION: Final = 1


class DeliverWebhook(NamedTuple):
    """Message to make the next attempt of a delivery, if it is due."""

    workspace_id: WorkspaceId
    delivery_id: DeliveryId
    request_id: str | None = None

    @classmethod
    def of_due_item(cls, item: DueItem) -> "DeliverWebhook":
        """Return the message of a delivery that is due."""
        return cls(
            WorkspaceId(item.id("WS")), DeliveryId(item.id("WHD")), request_id=item.request_id
        )

    def to_json(self) -> JsonObject:
        """Return the body of the queue message."""
        return {"v": DELIVER_WEBHOOK_VERSION, **self._asdict()}

    @classmethod
    def from_json(cls, message: JsonObject) -> "DeliverWebhook":
        """Parse the JSON that `to_json` wrote; raise UnknownVersion or PoisonMessageError."""
        check_version(message, DELIVER_WEBHOOK_VERSION)
        workspace_id, delivery_id = text_fields(
            message, workspace_id="ws_[0-9A-Z]{26}", delivery_id="whd_[0-9A-Z]{26}"
        )
        return cls(WorkspaceId(workspace_id), DeliveryId(delivery_id))
