"""Upload of a file to a storage destination."""

from typing import Literal

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Count
from chalicelib.core.storage import StorageErrorCode


class StorageError(Model):
    """The reason why an upload failed."""

    code: StorageErrorCode
    message: str
    status: int | None
    """The status of the store's answer; null without one."""


class StorageUpload(Model):
    """An upload that has failed for good."""

    id: str
    object: Literal["storage_upload"]
    render_id: str
    file_id: str
    destination_id: str
    key: str | None
    """The key in the destination, with its prefix; null where it could not be made."""
    attempts: Count
    error: StorageError
