"""Message of the queue of emails."""

from typing import Final, NamedTuple, cast

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import text_fields
from chalicelib.core.ids import SendId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version

_VERSION: Final = 1


class SendEmailMessage(NamedTuple):
    """Message to make the next attempt of a send, if it is due.

    With `has_slot` the rate of the connection has admitted it already. `connection_id` is empty
    where the sender of the message did not know it.
    """

    workspace_id: WorkspaceId
    send_id: SendId
    connection_id: str = ""
    has_slot: bool = False
    request_id: str | None = None

    @classmethod
    def of_due_item(cls, item: DueItem) -> "SendEmailMessage":
        """Return the message of a send that is due."""
        return cls(WorkspaceId(item.id("WS")), SendId(item.id("EMS")), request_id=item.request_id)

    def to_json(self) -> JsonObject:
        """Return the body of the queue message."""
        return {"v": _VERSION, **self._asdict()}

    @classmethod
    def from_json(cls, message: JsonObject) -> "SendEmailMessage":
        """Parse the JSON that `to_json` wrote; raise UnknownVersion or PoisonMessageError."""
        check_version(message, _VERSION)
        workspace_id, send_id = text_fields(
            message, workspace_id="ws_[0-9A-Z]{26}", send_id="ems_[0-9A-Z]{26}"
        )
        return cls(
            WorkspaceId(workspace_id),
            SendId(send_id),
            connection_id=str(message.get("connection_id", ""))[:64],
            has_slot=message.get("has_slot") is True,
            request_id=cast("str | None", message.get("request_id")),
        )
