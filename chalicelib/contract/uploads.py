"""Uploads: files sent before the request that names them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import MEDIA_TYPE_PATTERN


class UploadRequest(Model):
    """An announced file of up to 200 MB; the answer has the form to send it with.

    A smaller file can be sent at once, as the field `file` of a form.
    """

    filename: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    """Name of the file, with its extension."""
    content_type: Annotated[
        str,
        StringConstraints(max_length=255, pattern=MEDIA_TYPE_PATTERN),
    ] = "application/octet-stream"
    """Media type of the file."""
    bytes: Annotated[int, Field(ge=1, le=200_000_000)]
    """The exact size in bytes; a file of another size is refused."""


class UploadForm(Model):
    """The form to send a file with: `POST` as multipart/form-data, `fields` first, then `file`."""

    url: str
    """Where the form is sent to."""
    fields: dict[str, str]
    """Fields of the form before `file`, by name."""


class Upload(Model):
    """A file that was sent or announced; it is deleted after 24 hours."""

    id: str
    """Id of the upload, `upl_…`."""
    object: Literal["upload"]
    filename: str
    """Name of the file."""
    content_type: str
    """Media type of the file."""
    bytes: int
    """Size of the file, in bytes."""
    sha256: str | None
    """SHA-256 of the bytes, in hexadecimal; null while it is `pending`."""
    status: Literal["pending", "ready"]
    """`pending` until a file that was announced has arrived."""
    created_at: str
    expires_at: str
    """When it is deleted."""


class AnnouncedUpload(Upload):
    """A file that was announced, and the form to send it with."""

    upload: UploadForm
    """Valid for an hour."""


class FileQuery(Query):
    """The query of a signed URL; any other parameter makes its signature invalid."""

    exp: Annotated[str, StringConstraints(max_length=100)] | None = None
    """Unix time at which the URL expires."""
    disposition: Literal["inline"] | None = None
    """A browser shows the file instead of saving it."""
    sig: Annotated[str, StringConstraints(max_length=200)] | None = None
    """HMAC-SHA256, lower-case hex."""
