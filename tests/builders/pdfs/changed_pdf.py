"""PDFs with a change of their objects."""

import io
import warnings
from collections.abc import Callable
from typing import Any

import pikepdf


def changed(content: bytes, change: Callable[[pikepdf.Pdf], object], **save: Any) -> bytes:
    """Return a PDF as the caller has changed it; `save` are arguments of pikepdf's save."""
    with pikepdf.open(io.BytesIO(content)) as document:
        change(document)
        saved = io.BytesIO()
        with warnings.catch_warnings(action="ignore", category=pikepdf.PageCopyWarning):
            document.save(saved, **{"static_id": True, **save})
    return saved.getvalue()
