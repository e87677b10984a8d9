"""Read uploads: one, or those that a request names; what was to come is looked for."""

from collections.abc import Iterable, Mapping
from typing import Any

from chalicelib.adapters.aws.objects import Objects, PresignedPost
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, FieldError, NotFound
from chalicelib.core.ids import UploadId, WorkspaceId, is_id
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.repository import Uploads


class ReadUploads:
    """Reads a workspace's uploads."""

    def __init__(self, *, uploads: Uploads, objects: Objects, clock: Clock) -> None:
        """Read from the stores."""
        self._uploads = uploads
        self._objects = objects
        self._clock = clock

    def get(self, workspace_id: WorkspaceId, upload_id: str) -> Upload:
        """Return an upload; raises `upload_not_found`."""
        found = self._find(workspace_id, [upload_id])
        if upload_id not in found:
            raise NotFound("upload_not_found", f"There is no upload {upload_id[:64]}.")
        return found[UploadId(upload_id)]

    def get_ready(
        self, workspace_id: WorkspaceId, ids_by_field: Mapping[str, str]
    ) -> dict[str, Upload]:
        """Return the uploads that a request names, by their places in it.

        Raises `upload_not_found`, or `conflict` for one whose bytes have not arrived.
        """
        found = self._find(workspace_id, ids_by_field.values())
        absent = {place: name for place, name in ids_by_field.items() if name not in found}
        if absent:
            place, upload_id = next(iter(absent.items()))
            raise NotFound(
                "upload_not_found",
                f"{place}: there is no upload {upload_id}.",
                errors=[FieldError(where, "not_found", "is no upload") for where in absent],
            )
        ready = {place: found[UploadId(upload_id)] for place, upload_id in ids_by_field.items()}
        for place, upload in ready.items():
            if upload.status != "ready":
                raise Conflict(
                    "conflict",
                    f"{place}: the file of {upload.id} has not arrived; send it with the form that "
                    "the upload was answered with.",
                )
        return ready

    def _find(self, workspace_id: WorkspaceId, upload_ids: Iterable[str]) -> dict[UploadId, Upload]:
        wanted = {UploadId(upload_id) for upload_id in upload_ids if is_id("upl", upload_id)}
        found = self._uploads.get_many(workspace_id, wanted, self._clock.now())
        present = (self._refresh(upload) for upload in found.values())
        return {upload.id: upload for upload in present if upload is not None}

    def _refresh(self, upload: Upload) -> Upload | None:
        """Return an upload that is pending as ready where its bytes have arrived meanwhile.

        They are taken out of reach of the form that they came with, by whoever comes first.
        """
        if upload.status != "pending":
            return upload
        size = self._objects.copy(upload.form_key, upload.key)
        if size is None:
            # Nothing has arrived, unless somebody else has just taken it away from there.
            now = self._clock.now()
            return self._uploads.get_many(upload.workspace_id, [upload.id], now).get(upload.id)
        crash_if_armed(CrashPoint.UPLOAD_COPIED)
        arrived = self._uploads.mark_ready(upload, size)
        crash_if_armed(CrashPoint.UPLOAD_READY)
        if arrived is None:
            self._objects.delete(upload.key)
        self._objects.delete(upload.form_key)
        return arrived


def upload_object(upload: Upload, form: PresignedPost | None = None) -> dict[str, Any]:
    """Return an upload as JSON; `form` only in the answer that makes a presigned one."""
    sending = {} if form is None else {"upload": {"url": form.url, "fields": form.fields}}
    return {
        "id": upload.id,
        "object": "upload",
        "filename": upload.filename,
        "content_type": upload.content_type,
        "bytes": upload.bytes,
        "status": upload.status,
        **sending,
        "created_at": upload.created_at,
        "expires_at": upload.expires_at,
    }
