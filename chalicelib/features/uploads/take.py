"""Take an upload in: its bytes at once, or a form with which they are sent to the store."""

import datetime as dt
import hashlib
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.objects import Form, Objects
from chalicelib.core.clock import Clock, rfc3339
from chalicelib.core.crash_points import CrashPoint, here
from chalicelib.core.ids import Ids, UploadId, WorkspaceId
from chalicelib.features.uploads.model import Status, Upload
from chalicelib.features.uploads.repository import Uploads

_LIFE: Final = dt.timedelta(hours=24)
_FORM_S: Final = 3600


@dataclass(frozen=True, slots=True)
class Announced:
    """What is to come."""

    workspace_id: WorkspaceId
    filename: str
    content_type: str
    bytes: int


class TakeUpload:
    """Takes uploads in."""

    def __init__(self, *, uploads: Uploads, objects: Objects, clock: Clock, ids: Ids) -> None:
        """Build from the stores."""
        self._uploads = uploads
        self._objects = objects
        self._clock = clock
        self._ids = ids

    def now(self, announced: Announced, content: bytes) -> Upload:
        """Keep the bytes that came along."""
        upload = self._new(announced, "ready")
        digest = hashlib.sha256(content).digest()
        self._objects.put(upload.key, content, content_type=upload.content_type, sha256=digest)
        here(CrashPoint.UPLOAD_KEPT)
        # Whoever dies before this leaves bytes behind that the bucket itself removes.
        self._uploads.put(upload)
        return upload

    def later(self, announced: Announced) -> tuple[Upload, Form]:
        """Return the upload and the form with which exactly the announced bytes can be sent."""
        upload = self._new(announced, "pending")
        form = self._objects.form(
            upload.form_key,
            content_type=upload.content_type,
            exact_bytes=upload.bytes,
            expires_s=_FORM_S,
        )
        self._uploads.put(upload)
        return upload, form

    def _new(self, announced: Announced, status: Status) -> Upload:
        now = self._clock.now()
        return Upload(
            id=UploadId(self._ids.new("upl", now)),
            workspace_id=announced.workspace_id,
            filename=announced.filename,
            content_type=announced.content_type,
            bytes=announced.bytes,
            status=status,
            created_at=rfc3339(now),
            expires_at=rfc3339(now + _LIFE),
        )
