"""Presigned form, which stores one object without credentials."""

from collections.abc import Mapping
from typing import NamedTuple


class PresignedPost(NamedTuple):
    """Form (multipart/form-data) that stores one object: `fields` first, the file last."""

    url: str
    fields: Mapping[str, str]
