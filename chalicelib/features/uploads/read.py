"""Reads of uploads: one, or those of a request; pending ones are refreshed."""

from collections.abc import Iterable, Mapping

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, FieldError, NotFound
from chalicelib.core.ids import UploadId, WorkspaceId, is_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.ports import PresignedPost
from chalicelib.features.uploads.model import Upload
from chalicelib.features.uploads.repository import Uploads


class ReadUploads(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reads a workspace's uploads."""

    uploads: Uploads
    objects: Objects
    clock: Clock

    def get(self, workspace_id: WorkspaceId, upload_id: str) -> Upload:
        """Return an upload; raises `upload_not_found`."""
        found = self._find(workspace_id, [upload_id])
        if upload_id not in found:
            raise NotFound("upload_not_found", f"There is no upload {upload_id[:64]}.")
        return found[UploadId(upload_id)]

    def get_ready(
        self, workspace_id: WorkspaceId, ids_by_field: Mapping[str, str]
    ) -> dict[str, Upload]:
        """Return the uploads of a request by field; `ids_by_field` maps JSON pointers to ids.

        Raises `upload_not_found`, or `conflict` for an upload whose bytes have not arrived.
        """
        found = self._find(workspace_id, ids_by_field.values())
        missing = {pointer: name for pointer, name in ids_by_field.items() if name not in found}
        if missing:
            pointer, upload_id = next(iter(missing.items()))
            raise NotFound(
                "upload_not_found",
                f"{pointer}: there is no upload {upload_id}.",
                errors=[FieldError(field, "not_found", "is no upload") for field in missing],
            )
        ready = {field: found[UploadId(upload_id)] for field, upload_id in ids_by_field.items()}
        for pointer, upload in ready.items():
            if upload.status != "ready":
                raise Conflict(
                    "conflict",
                    f"{pointer}: the file of {upload.id} has not arrived; send it with the form "
                    "that the upload was answered with.",
                )
        return ready

    def _find(self, workspace_id: WorkspaceId, upload_ids: Iterable[str]) -> dict[UploadId, Upload]:
        ids = {UploadId(upload_id) for upload_id in upload_ids if is_id("upl", upload_id)}
        found = self.uploads.get_many(workspace_id, ids, self.clock.now())
        present = (self._refresh(upload) for upload in found.values())
        return {upload.id: upload for upload in present if upload is not None}

    def _refresh(self, upload: Upload) -> Upload | None:
        """Return an upload, as ready if its pending bytes have arrived; None if it was deleted.

        The first reader copies the bytes to a key that the form cannot write to.
        """
        if upload.status != "pending":
            return upload
        copied = self.objects.copy(upload.form_key, upload.key)
        if copied is None:
            # Nothing has arrived, or another reader has just moved it.
            now = self.clock.now()
            return self.uploads.get_many(upload.workspace_id, [upload.id], now).get(upload.id)
        crash_if_armed(CrashPoint.UPLOAD_COPIED)
        arrived = self.uploads.mark_ready(upload, copied)
        crash_if_armed(CrashPoint.UPLOAD_READY)
        if arrived is None:
            self.objects.delete(upload.key)
        self.objects.delete(upload.form_key)
        return arrived


def upload_object(upload: Upload, form: PresignedPost | None = None) -> dict[str, Json]:
    """Return an upload as JSON; `form` only in the response that creates a presigned upload."""
    form_fields: JsonObject = (
        {} if form is None else {"upload": {"url": form.url, "fields": form.fields}}
    )
    return {
        "id": upload.id,
        "object": "upload",
        "filename": upload.filename,
        "content_type": upload.content_type,
        "bytes": upload.bytes,
        "sha256": upload.sha256,
        "status": upload.status,
        **form_fields,
        "created_at": upload.created_at,
        "expires_at": upload.expires_at,
    }
