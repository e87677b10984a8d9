"""Creation and deletion of uploads: bytes at once, or a form to send them to the bucket."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import IdGenerator, UploadId
from chalicelib.engine.ports import PresignedPost
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.repository import HeldBytes, Uploads
from chalicelib.features.workspaces.model import Workspace

_LIFETIME: Final = dt.timedelta(hours=24)
_FORM_LIFETIME_S: Final = 3600


@dataclass(frozen=True, slots=True)
class AnnouncedUpload:
    """Name, media type and size of an upload, before its bytes are stored."""

    workspace: Workspace
    filename: str
    content_type: str
    bytes: int


class CreateUpload(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Creates uploads."""

    uploads: Uploads
    held: HeldBytes
    objects: Objects
    clock: Clock
    ids: IdGenerator

    def store(self, announced: AnnouncedUpload, content: bytes) -> Upload:
        """Store the bytes of an upload; it is `ready` then.

        Raises `conflict` for more bytes than the uploads of the workspace may have.
        """
        digest = hashlib.sha256(content)
        upload = self._new_upload(announced, sha256=digest.hexdigest())
        self.objects.put(
            upload.key, content, content_type=upload.content_type, sha256=digest.digest()
        )
        crash_if_armed(CrashPoint.UPLOAD_STORED)
        # After a crash before this write, the lifecycle rule of the bucket removes the bytes.
        self.uploads.put(upload)
        return upload

    def announce(self, announced: AnnouncedUpload) -> tuple[Upload, PresignedPost]:
        """Return a `pending` upload and the form that accepts exactly the announced size.

        Raises `conflict` as `store`.
        """
        upload = self._new_upload(announced)
        form = self.objects.upload_form(
            upload.form_key,
            content_type=upload.content_type,
            exact_bytes=upload.bytes,
            expires_s=_FORM_LIFETIME_S,
        )
        self.uploads.put(upload)
        return upload, form

    def _new_upload(self, announced: AnnouncedUpload, sha256: str | None = None) -> Upload:
        """Return a new upload, whose bytes are counted; it is pending without `sha256`."""
        now = self.clock.now()
        upload = Upload(
            id=UploadId(self.ids.new("upl", now)),
            workspace_id=announced.workspace.id,
            filename=announced.filename,
            content_type=announced.content_type,
            bytes=announced.bytes,
            status="pending" if sha256 is None else "ready",
            created_at=format_rfc3339(now),
            expires_at=format_rfc3339(now + _LIFETIME),
            was_announced=sha256 is None,
            sha256=sha256,
        )
        self.held.reserve(announced.workspace, upload)
        crash_if_armed(CrashPoint.UPLOAD_COUNTED)
        return upload


class DeleteUpload(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Deletes uploads; idempotent. A queued render that names the upload fails."""

    uploads: Uploads
    held: HeldBytes
    objects: Objects

    def __call__(self, upload: Upload) -> None:
        """Delete an upload and its bytes."""
        was_there = self.uploads.delete(upload)
        for key in (upload.key, upload.form_key):
            self.objects.delete(key)
        if was_there:
            self.held.give_back(upload)
