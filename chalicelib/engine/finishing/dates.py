"""The one moment that stands in a finished document: its bytes are to repeat."""

import datetime as dt
from typing import Final

from chalicelib.engine.options.pdf import Metadata

# What has no time of its own gets this one.
_ALWAYS: Final = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)


def moment_of(metadata: Metadata) -> dt.datetime:
    """Return the moment that the caller names, or else the one that is always the same; in UTC."""
    if metadata.created_at is None:
        return _ALWAYS
    return dt.datetime.fromisoformat(metadata.created_at).astimezone(dt.UTC)


def pdf_date(moment: dt.datetime) -> str:
    """Return a moment as PDF writes it."""
    return f"D:{moment:%Y%m%d%H%M%S}+00'00'"
