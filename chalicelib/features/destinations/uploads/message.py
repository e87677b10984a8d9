"""Message of the queue of uploads."""

from typing import Final, NamedTuple, cast

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import PoisonMessageError, text_fields
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.features.destinations.uploads.model import TargetUploads

_VERSION: Final = 1
UPLOADS_PREFIX: Final = "UPLOAD#"


class UploadFilesMessage(NamedTuple):
    """Message to make the next attempt of the uploads to a target, if it is due."""

    workspace_id: WorkspaceId
    render_id: RenderId
    number: int
    request_id: str | None = None

    @classmethod
    def of(cls, uploads: TargetUploads) -> "UploadFilesMessage":
        """Return the message of uploads."""
        return cls(uploads.workspace_id, uploads.render_id, uploads.number, uploads.request_id)

    @classmethod
    def of_due_item(cls, item: DueItem) -> "UploadFilesMessage":
        """Return the message of uploads that are due; raise PoisonMessageError for another row."""
        number = item.sk.removeprefix(UPLOADS_PREFIX)
        if not item.sk.startswith(UPLOADS_PREFIX) or not number.isdecimal():
            reason = f"{item.sk} is no row of uploads"
            raise PoisonMessageError(reason)
        workspace_id, render_id = WorkspaceId(item.id("WS")), RenderId(item.id("RND"))
        return cls(workspace_id, render_id, int(number), item.request_id)

    @property
    def sort_key(self) -> str:
        """Return the sort key of the uploads in the partition of their render."""
        return uploads_sort_key(self.number)

    def to_json(self) -> JsonObject:
        """Return the body of the queue message."""
        return {"v": _VERSION, **self._asdict(), "number": str(self.number)}

    @classmethod
    def from_json(cls, message: JsonObject) -> "UploadFilesMessage":
        """Parse the JSON that `to_json` wrote; raise UnknownVersion or PoisonMessageError."""
        check_version(message, _VERSION)
        workspace_id, render_id, number = text_fields(
            message,
            workspace_id="ws_[0-9A-Z]{26}",
            render_id="rnd_[0-9A-Z]{26}",
            number="[0-9]{1,2}",
        )
        request_id = cast("str | None", message.get("request_id"))
        return cls(WorkspaceId(workspace_id), RenderId(render_id), int(number), request_id)


def uploads_sort_key(number: int) -> str:
    """Return the sort key of the uploads to a target of a render."""
    return f"{UPLOADS_PREFIX}{number:02}"
