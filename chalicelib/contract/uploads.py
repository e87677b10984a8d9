"""Uploads: files sent before the request that names them."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from chalicelib.contract.base import Model


class UploadRequest(Model):
    """A file to come, up to 200 MB: the answer has the form to send it with.

    A smaller one may come at once, as the field `file` of a form.
    """

    filename: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    content_type: Annotated[
        str,
        StringConstraints(
            max_length=255, pattern=r"^[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(?:;[ -~]*)?$"
        ),
    ] = "application/octet-stream"
    bytes: Annotated[int, Field(ge=1, le=200_000_000)]
    """Exactly as many will be taken."""


class UploadForm(Model):
    """Where and how a file is sent: `POST` as multipart/form-data, `fields` first, then `file`."""

    url: str
    fields: dict[str, str]


class Upload(Model):
    """A file that was sent, or is to come; it goes away after 24 hours."""

    id: str
    object: Literal["upload"]
    filename: str
    content_type: str
    bytes: int
    status: Literal["pending", "ready"]
    """`pending` until a file that was announced has arrived."""
    upload: UploadForm | None = None
    """Only in the answer that announces a file; it holds for an hour."""
    created_at: str
    expires_at: str


class FileQuery(Model):
    """What a signed address carries; anything else makes its signature invalid."""

    exp: Annotated[str, StringConstraints(max_length=100)] | None = None
    """Unix time at which the address ends."""
    sig: Annotated[str, StringConstraints(max_length=200)] | None = None
    """HMAC-SHA256, lower-case hex."""
