"""Uploads of files, and the receipts that say the same to the owner of the render."""

from copy import replace

import msgspec

from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import StorageUploadId, derived_id
from chalicelib.features.destinations.uploads.model import FileUpload, TargetUploads, UploadError
from chalicelib.features.renders.model import Render, StorageReceipt


def first_upload(render: Render, index: int, receipt: StorageReceipt) -> FileUpload:
    """Return the upload of a receipt before its first attempt: its status does not count."""
    file = render.files[receipt.file_index]
    created = parse_rfc3339(render.created_at)
    return FileUpload(
        id=StorageUploadId(derived_id("sup", created, render.id, str(index))),
        file_id=file.id,
        receipt=index,
        path=receipt.path,
        object_key=file.key,
        content_type=file.content_type,
        bytes=file.bytes,
        sha256=file.sha256,
        error=_error_of(receipt) if receipt.path is None else None,
    )


def present_upload(render: Render, index: int, receipt: StorageReceipt) -> FileUpload:
    """Return the upload of a receipt as it has been recorded."""
    upload = first_upload(render, index, receipt)
    if receipt.attempts is None:
        return upload
    return replace(
        upload,
        status=receipt.status,
        attempts=receipt.attempts,
        etag=receipt.etag,
        error=_error_of(receipt),
    )


def receipt_of(uploads: TargetUploads, file: FileUpload) -> StorageReceipt:
    """Return the receipt of a file."""
    return StorageReceipt(
        uploads.destination_id,
        uploads.files.index(file),
        file.status,
        file.path,
        file.bytes,
        file.etag,
        None if file.error is None else file.error.to_json(),
        file.attempts,
    )


def _error_of(receipt: StorageReceipt) -> UploadError | None:
    if receipt.error is None:
        return None
    fields = tuple(receipt.error.get(name) for name in UploadError._fields)
    return msgspec.convert(fields, UploadError)
