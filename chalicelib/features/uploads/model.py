"""An upload and where its bytes are."""

from typing import Literal, NamedTuple

from chalicelib.core.ids import UploadId, WorkspaceId

type UploadStatus = Literal["pending", "ready"]


class Upload(NamedTuple):
    """An upload as its item says; one that is `pending` has announced `bytes` to come."""

    id: UploadId
    workspace_id: WorkspaceId
    filename: str
    content_type: str
    bytes: int
    status: UploadStatus
    created_at: str
    expires_at: str

    @property
    def key(self) -> str:
        """Return the place of its bytes."""
        return upload_key(self.workspace_id, self.id)

    @property
    def form_key(self) -> str:
        """Return where its form puts them: whoever has the form can replace what lies there."""
        return f"{self.key}.arriving"


def upload_key(workspace_id: WorkspaceId, upload_id: UploadId) -> str:
    """Return the place of an upload's bytes; the bucket itself empties that folder."""
    return f"tmp/uploads/{workspace_id}/{upload_id}"
