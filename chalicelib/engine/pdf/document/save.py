"""Saving of a document: without encryption, equal documents give equal bytes."""

import io
import warnings
from typing import Final

import pikepdf

_ARCHIVE_VERSION: Final = "1.7"


def save(
    document: pikepdf.Pdf,
    encryption: pikepdf.Encryption | None = None,
    *,
    is_archive: bool = False,
) -> bytes:
    """Return a document as bytes.

    PDF/A-2 and -3 are PDF 1.7 at most (ISO 19005-2, 6.1.2).
    """
    target = io.BytesIO()
    # qpdf writes it, correctly, only if the source had one.
    document.trailer.Size = 0
    # A widget that is in no form is as it was in the source.
    with warnings.catch_warnings(action="ignore", category=pikepdf.PageCopyWarning):
        document.save(
            target,
            deterministic_id=encryption is None,
            object_stream_mode=pikepdf.ObjectStreamMode.generate,
            encryption=encryption or False,
            force_version=_ARCHIVE_VERSION if is_archive else "",
            # The XMP of archives is complete as it is.
            fix_metadata_version=not is_archive,
        )
    return target.getvalue()
