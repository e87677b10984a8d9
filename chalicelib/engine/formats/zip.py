"""ZIP: all files of a render in one archive whose bytes repeat."""

import io
import zipfile
from collections.abc import Sequence
from typing import Final

from chalicelib.core.text import safe_filename
from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.job import Produced

# Dates in files are fixed, so that the same request gives the same bytes.
_DATE: Final = (2000, 1, 1, 0, 0, 0)
_FALLBACK: Final = "document"
# A tenth of a second.
_STEP_BYTES: Final = 2_000_000


def packed(files: Sequence[Produced], filename: str | None, deadline: Deadline) -> Produced:
    """Return the archive; `filename` is the caller's, and what its members are called as well.

    Raises RenderFailure `render_timeout`.
    """
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            member = zipfile.ZipInfo(_name(file, filename), _DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(member, "w") as packing:
                for begin in range(0, len(file.content), _STEP_BYTES):
                    if deadline.passed:
                        raise out_of_time()
                    packing.write(file.content[begin : begin + _STEP_BYTES])
    pages = next((file.pages for file in files if file.pages is not None), None)
    return Produced("zip", result.getvalue(), "application/zip", pages=pages)


def _name(file: Produced, filename: str | None) -> str:
    """Return a name that no other file has: no two have one format."""
    return safe_filename(filename, fallback=_FALLBACK, extension=file.format)
