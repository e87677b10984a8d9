"""Uploads of a render's files to one of its storage targets, and their states."""

from copy import replace
from dataclasses import dataclass
from typing import NamedTuple

from chalicelib.core.ids import DestinationId, FileId, RenderId, StorageUploadId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.renders.model import ReceiptStatus


class UploadError(NamedTuple):
    """Why an upload has failed; `status` is that of the store's answer, if there was one."""

    code: str
    message: str
    status: int | None = None

    def to_json(self) -> JsonObject:
        """Return the error as the API shows it."""
        return self._asdict()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileUpload:
    """Upload of one file; `receipt` is the index of its receipt in the row of the render.

    `path` is None where it could not be made: `error` says why, and the upload fails without an
    attempt. `object_key` is that of the file in the service's own bucket.
    """

    id: StorageUploadId
    file_id: FileId
    receipt: int
    path: str | None
    object_key: str
    content_type: str
    bytes: int
    sha256: str
    status: ReceiptStatus = "pending"
    attempts: int = 0
    etag: str | None = None
    error: UploadError | None = None

    @property
    def is_open(self) -> bool:
        """Tell whether the status is not final."""
        return self.status in {"pending", "retrying"}

    def as_succeeded(self, etag: str | None) -> "FileUpload":
        """Return the upload after the attempt that has succeeded."""
        attempts = self.attempts + 1
        return replace(self, status="succeeded", attempts=attempts, etag=etag, error=None)

    def with_failure(self, error: UploadError, *, is_final: bool) -> "FileUpload":
        """Return the upload after an attempt that has failed."""
        status: ReceiptStatus = "failed" if is_final else "retrying"
        return replace(self, status=status, attempts=self.attempts + 1, error=error)


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetUploads:
    """Uploads to one target; `number` is its place among those of the render.

    `next_attempt_at` is None when no attempt is to come. `attempts` counts the rounds in which an
    upload has failed and is to be repeated. `claims_made` counts the claims of the present round:
    more than one if functions died with it. `deletes_files`: the render keeps its files only until
    all of them are delivered; `deletes_failed`: or have failed. `receipts_attempt` is the attempt
    of the render whose rows of receipts have the states of the files, until `kept_until` (Unix
    seconds); without it the row of the uploads has them.
    """

    workspace_id: WorkspaceId
    render_id: RenderId
    number: int
    destination_id: DestinationId
    created_at: str
    request_id: str
    history_days: int
    deletes_files: bool
    deletes_failed: bool = False
    files: tuple[FileUpload, ...]
    next_attempt_at: str | None = None
    attempts: int = 0
    claims_made: int = 0
    receipts_attempt: int | None = None
    kept_until: int = 0

    @property
    def open_files(self) -> tuple[FileUpload, ...]:
        """Return the uploads that are not final."""
        return tuple(file for file in self.files if file.is_open)

    def with_file(self, file: FileUpload) -> "TargetUploads":
        """Return the uploads with one of them changed."""
        files = tuple(file if each.id == file.id else each for each in self.files)
        return replace(self, files=files)
