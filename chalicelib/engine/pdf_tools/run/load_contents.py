"""Loading of what a tool reads: its sources, attached files, and the PDF of a stamp."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing

from chalicelib.contract.options.pdf import ContentSource
from chalicelib.contract.options.pdf_tools import PdfSource
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.inputs.fetch import MAX_FETCH_S, fetch_all
from chalicelib.engine.job import JobContext, PdfToolJob
from chalicelib.engine.pdf_tools.run.limits import MAX_SOURCE_BYTES, MAX_TOTAL_BYTES
from chalicelib.engine.pdf_tools.tool import refused_option
from chalicelib.engine.ports import (
    DestinationRefusedError,
    DestinationUnreachableError,
    Egress,
    FetchResponse,
)


def load_contents(job: PdfToolJob, context: JobContext, egress: Egress) -> Mapping[str, bytes]:
    """Return all that the tool reads by JSON Pointer; what is named twice is loaded once.

    Raises RenderFailure `url_not_allowed`, `asset_fetch_failed`, `attachment_failed`,
    `upload_not_found`, `file_expired`, `validation_error`, `output_too_large` or `render_timeout`.
    """
    named = job.contents()
    addresses = list(dict.fromkeys(source.url for source in named.values() if source.url))
    by_address: dict[str, Future[FetchResponse]] = {}
    with closing(fetch_all(addresses, egress, context, max_bytes=MAX_SOURCE_BYTES)) as responses:
        by_address.update(zip(addresses, responses, strict=True))
    contents: dict[str, bytes] = {}
    loaded: dict[PdfSource | ContentSource, bytes] = {}
    for pointer, source in named.items():
        if source not in loaded:
            content = (
                _fetched_content(by_address[source.url], pointer)
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


def _fetched_content(response: Future[FetchResponse], pointer: str) -> bytes:
    try:
        return response.result().content
    except DestinationRefusedError as refused:
        raise RenderFailure("url_not_allowed", f"{pointer}/url: {refused}.") from refused
    except DestinationUnreachableError as unreachable:
        is_attachment = pointer.startswith("/attachments/")
        code = "attachment_failed" if is_attachment else "asset_fetch_failed"
        limits = f"it must answer within {MAX_FETCH_S:g} s with at most {MAX_SOURCE_BYTES} bytes"
        raise RenderFailure(code, f"{pointer}/url: {unreachable}; {limits}.") from unreachable


def _check_size(size: int, total: int, pointer: str) -> None:
    if size > MAX_SOURCE_BYTES:
        message = f"has {size} bytes; {MAX_SOURCE_BYTES} are allowed"
        raise refused_option(pointer, message, "too_large")
    if total > MAX_TOTAL_BYTES:
        message = f"makes {total} bytes of sources; {MAX_TOTAL_BYTES} are allowed together"
        raise refused_option(pointer, message, "too_large")
