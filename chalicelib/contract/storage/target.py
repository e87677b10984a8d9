"""Storage targets of a request, and receipts of the uploads to them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Count
from chalicelib.core.storage import StorageErrorCode

# A template of the whole path of a file.
PathTemplate = Annotated[str, StringConstraints(min_length=1, max_length=1_024)]


class StorageTargetSpec(Model):
    """A storage destination that gets every file of the render."""

    destination_id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    """Id of the storage destination, `dst_…`."""
    path: PathTemplate | None = None
    """Whole path of a file in the destination; null: its `path_template`. Both are
    templates over the data at top level, and `data`, `filename`, `format`, `index` (of the file,
    from 0), `reference` and `render_id`, which win. Empty segments, `.`, `..`, leading slashes and
    control characters are dropped. A second file of the same path gets `-2` before its
    extension."""
    keep_hosted_copy: bool | None = None
    """False: the file is not kept here once it is stored there. Null: as the destination says.
    `hosted` wins over it; without `hosted` a copy is kept unless all destinations say false."""


StorageTargetSpecs = Annotated[list[StorageTargetSpec], Field(max_length=10)]


class StorageError(Model):
    """The reason why an upload failed."""

    code: StorageErrorCode
    """The cause, such as `storage_denied`."""
    message: str
    """What happened and what to change, for people."""
    status: int | None
    """The status of the store's answer; null without one."""


class StorageReceipt(Model):
    """The upload of one file to one destination."""

    destination_id: str
    """Id of the storage destination, `dst_…`."""
    status: Literal["pending", "retrying", "succeeded", "failed"]
    """State of the upload. `retrying`: it failed, and is repeated for 24 hours."""
    path: str | None
    """The whole path in the destination; null where it could not be made."""
    etag: str | None
    """What the store has answered; null before, and where the store has none (`sftp`)."""
    bytes: Count
    """Size of the file, in bytes."""
    error: StorageError | None
    """The last failure; null after a success."""


class StorageUpload(Model):
    """An upload that has failed for good."""

    id: str
    """Id of the upload, `sup_…`."""
    object: Literal["storage_upload"]
    render_id: str
    """Id of the render, `rnd_…`."""
    file_id: str
    """Id of the file, `file_…`."""
    destination_id: str
    """Id of the storage destination, `dst_…`."""
    path: str | None
    """The whole path in the destination; null where it could not be made."""
    attempts: Count
    """How many times it was tried."""
    error: StorageError
    """Why it failed."""
