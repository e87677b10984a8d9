"""ZIP: all files of a render in one archive whose bytes repeat."""

import io
import zipfile
from collections.abc import Sequence
from typing import Final

from chalicelib.core.text import safe_filename
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import RenderedFile

# Dates in files are fixed, so that the same request gives the same bytes.
_MEMBER_DATE: Final = (2000, 1, 1, 0, 0, 0)
_FALLBACK: Final = "document"
# A tenth of a second.
_CHUNK_BYTES: Final = 2_000_000


def zip_archive(
    files: Sequence[RenderedFile], filename: str | None, deadline: Deadline
) -> RenderedFile:
    """Return the archive; `filename` is the caller's, and what its members are called as well.

    Raises RenderFailure `render_timeout`.
    """
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            member = zipfile.ZipInfo(_member_name(file, filename), _MEMBER_DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w") as packing:
                for begin in range(0, len(file.content), _CHUNK_BYTES):
                    if deadline.has_passed:
                        raise timeout_failure()
                    packing.write(file.content[begin : begin + _CHUNK_BYTES])
    pages = next((file.pages for file in files if file.pages is not None), None)
    return RenderedFile("zip", result.getvalue(), "application/zip", pages=pages)


def _member_name(file: RenderedFile, filename: str | None) -> str:
    """Return a name that no other file has: no two have one format."""
    return safe_filename(filename, fallback=_FALLBACK, extension=file.format)
