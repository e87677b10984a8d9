"""Upload and the keys of its bytes."""

from typing import Literal, NamedTuple

from chalicelib.core.ids import UploadId, WorkspaceId

type UploadStatus = Literal["pending", "ready"]


class Upload(NamedTuple):
    """An upload as stored; for a `pending` one `bytes` is the announced size.

    `was_announced`: its bytes arrive by a form. `sha256` is in hexadecimal, None while it is
    `pending`.
    """

    id: UploadId
    workspace_id: WorkspaceId
    filename: str
    content_type: str
    bytes: int
    status: UploadStatus
    created_at: str
    expires_at: str
    was_announced: bool = False
    sha256: str | None = None

    @property
    def key(self) -> str:
        """Return the key of its bytes."""
        return upload_key(self.workspace_id, self.id)

    @property
    def form_key(self) -> str:
        """Return the key that the form writes to; the form can replace its bytes."""
        return f"{self.key}.arriving"


def upload_key(workspace_id: WorkspaceId, upload_id: UploadId) -> str:
    """Return the key of an upload's bytes; a lifecycle rule empties that folder."""
    return f"tmp/uploads/{workspace_id}/{upload_id}"
