"""Stored file of a render."""

from typing import NamedTuple

from chalicelib.core.ids import FileId
from chalicelib.core.text import content_disposition


class StoredFile(NamedTuple):
    """A file as its render's row lists it; `key` is its key in the bucket.

    `part` is its number, from 1, among files of one format, which its name ends with.
    """

    id: FileId
    format: str
    filename: str
    content_type: str
    bytes: int
    sha256: str
    pages: int | None
    width: int | None
    height: int | None
    expires_at: str | None
    key: str
    part: int | None = None

    @property
    def disposition(self) -> str:
        """Return the `Content-Disposition` header of a download."""
        return content_disposition(self.filename)
