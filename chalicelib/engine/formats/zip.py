"""ZIP: all files of a render in one archive whose bytes repeat."""

import io
import zipfile
from collections.abc import Sequence
from typing import Final

from chalicelib.core.text import safe_filename
from chalicelib.engine.job import Produced

# Dates in files are fixed, so that the same request gives the same bytes.
_DATE: Final = (2000, 1, 1, 0, 0, 0)
_FALLBACK: Final = "document"


def packed(files: Sequence[Produced], filename: str | None) -> Produced:
    """Return the archive; `filename` is the caller's, and what its members are called as well."""
    result = io.BytesIO()
    with zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            member = zipfile.ZipInfo(_name(file, filename), _DATE)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, file.content)
    pages = next((file.pages for file in files if file.pages is not None), None)
    return Produced("zip", result.getvalue(), "application/zip", pages=pages)


def _name(file: Produced, filename: str | None) -> str:
    """Return a name that no other file has: no two have one format."""
    return safe_filename(filename, fallback=_FALLBACK, extension=file.format)
