"""A form's one file: multipart/form-data as browsers and curl send it."""

import io
from dataclasses import dataclass
from typing import Final

from chalicelib.api._endpoint import Call
from chalicelib.core.errors import invalid

FORM: Final = "multipart/form-data"
_FIELD: Final = "file"


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file and what its sender says of it."""

    filename: str
    content_type: str
    content: bytes


def form_file(call: Call) -> FormFile:
    """Return the file of the form that was sent; raises `validation_error`."""
    # Most requests have no form.
    from multipart import MultipartError, MultipartParser, parse_options_header  # noqa: PLC0415

    boundary = parse_options_header(call.headers["content-type"])[1].get("boundary")
    if not boundary:
        raise invalid("/headers/Content-Type", "names no boundary", "missing")
    size = len(call.raw_body)
    parser = MultipartParser(
        io.BytesIO(call.raw_body),
        boundary,
        content_length=size,
        strict=True,
        part_limit=10,
        spool_limit=size,
        memory_limit=2 * size,
    )
    try:
        parts = list(parser)
    except MultipartError as damage:
        raise invalid("", f"the form cannot be read: {damage}") from damage
    for part in parts:
        if part.name != _FIELD:
            raise invalid(f"/{part.name[:100]}", f"is not known here; send {_FIELD}", "unknown")
    if len(parts) != 1:
        raise invalid(f"/{_FIELD}", "must be sent exactly once", "repeated" if parts else "missing")
    (file,) = parts
    if not file.filename:
        raise invalid(f"/{_FIELD}", "must be a file, with its filename", "wrong_type")
    if not file.size:
        raise invalid(f"/{_FIELD}", "is empty", "too_short")
    return FormFile(file.filename, file.content_type, file.raw)
