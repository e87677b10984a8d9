"""Bytes of uploads for the render that names them; they existed when it was accepted."""

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import UploadId, WorkspaceId
from chalicelib.features.uploads.model import upload_key


class UploadContents(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reads bytes and nothing else: the render function has no access to upload rows."""

    objects: Objects

    def get(self, workspace_id: WorkspaceId, upload_id: str) -> bytes:
        """Return the bytes; raises RenderFailure `upload_not_found` if they are gone."""
        content = self.objects.get(upload_key(workspace_id, UploadId(upload_id)))
        if content is None:
            raise RenderFailure("upload_not_found", f"The upload {upload_id} is gone.")
        return content
