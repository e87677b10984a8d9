"""Loading of what a tool reads: its sources, attached files, and the PDF of a stamp."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from contextlib import closing

from chalicelib.contract.options.pdf import ContentSource
from chalicelib.contract.options.pdf_tools import PdfSource
from chalicelib.engine.inputs.fetch import fetch_all, fetched_content
from chalicelib.engine.job import JobContext, PdfToolJob
from chalicelib.engine.pdf_tools.tool import MAX_SOURCE_BYTES, MAX_TOTAL_BYTES, refused_option
from chalicelib.engine.ports import (
    Egress,
)


def load_contents(job: PdfToolJob, context: JobContext, egress: Egress) -> Mapping[str, bytes]:
    """Return all that the tool reads by JSON Pointer; what is named twice is loaded once.

    Raises RenderFailure `url_not_allowed`, `asset_fetch_failed`, `attachment_failed`,
    `upload_not_found`, `file_expired`, `validation_error`, `output_too_large` or `render_timeout`.
    """
    named = job.contents()
    addresses = list(dict.fromkeys(source.url for source in named.values() if source.url))
    with closing(fetch_all(addresses, egress, context, max_bytes=MAX_SOURCE_BYTES)) as responses:
        by_address = dict(zip(addresses, responses, strict=True))
    contents: dict[str, bytes] = {}
    loaded: dict[PdfSource | ContentSource, bytes] = {}
    for pointer, source in named.items():
        if source not in loaded:
            content = (
                fetched_content(by_address[source.url], pointer, MAX_SOURCE_BYTES)
                if source.url
                else _local(source, context, pointer)
            )
            loaded[source] = content
            _check_size(len(content), sum(map(len, loaded.values())), pointer)
        contents[pointer] = loaded[source]
    return contents


def _local(source: PdfSource | ContentSource, context: JobContext, pointer: str) -> bytes:
    file_id = source.file_id if isinstance(source, PdfSource) else None
    name = source.upload_id or file_id
    if name is not None:
        return context.uploads(name)
    assert source.content is not None, "a source has exactly one of its fields"
    try:
        return b64decode(source.content)
    except binascii.Error as damage:
        raise refused_option(f"{pointer}/content", "is no base64", "wrong_format") from damage


def _check_size(size: int, total: int, pointer: str) -> None:
    if size > MAX_SOURCE_BYTES:
        message = f"has {size} bytes; {MAX_SOURCE_BYTES} are allowed"
        raise refused_option(pointer, message, "too_large")
    if total > MAX_TOTAL_BYTES:
        message = f"makes {total} bytes of sources; {MAX_TOTAL_BYTES} are allowed together"
        raise refused_option(pointer, message, "too_large")
