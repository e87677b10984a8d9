"""Content of streams that are packed without loss, by any filters."""

import pikepdf


def lossless_content(stream: pikepdf.Object) -> bytes | None:
    """Return the content; None where a filter is damaged, or is for pictures such as JPEG."""
    try:
        return stream.read_bytes(pikepdf.StreamDecodeLevel.specialized)
    except pikepdf.PdfError:
        return None
