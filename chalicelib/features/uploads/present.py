"""The upload object of the contract."""

from typing import Any

from chalicelib.adapters.aws.objects import PresignedPost
from chalicelib.features.uploads.model import Upload


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
