"""Loading of a tool's inputs: its sources, attached files, and the PDF of a stamp."""

import binascii
from base64 import b64decode
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from itertools import batched
from typing import Final

from chalicelib.contract.options.pdf import ContentSource
from chalicelib.contract.options.pdf_tools import PdfSource
from chalicelib.engine.context import JobContext
from chalicelib.engine.inputs.fetch import fetch_all, fetched_content
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.pdf_tools.tool import MAX_SOURCE_BYTES, MAX_TOTAL_BYTES, refused_option
from chalicelib.engine.ports import Egress

_MAX_PARALLEL: Final = 8


def load_contents(job: PdfToolJob, context: JobContext, egress: Egress) -> Mapping[str, bytes]:
    """Return all inputs of the tool by JSON Pointer; an input that is named twice is loaded once.

    Raises RenderFailure `url_not_allowed`, `asset_fetch_failed`, `attachment_failed`,
    `upload_not_found`, `file_expired`, `validation_error`, `output_too_large` or `render_timeout`.
    """
    named = job.contents()
    addresses = list(dict.fromkeys(source.url for source in named.values() if source.url))
    with closing(fetch_all(addresses, egress, context, max_bytes=MAX_SOURCE_BYTES)) as responses:
        by_address = dict(zip(addresses, responses, strict=True))
    stored = _load_stored(filter(None, map(_stored_name, named.values())), context)
    contents: dict[str, bytes] = {}
    total = 0
    loaded: dict[PdfSource | ContentSource, bytes] = {}
    for pointer, source in named.items():
        if source not in loaded:
            content = (
                fetched_content(by_address[source.url], pointer, MAX_SOURCE_BYTES)
                if source.url
                else _local(source, stored, pointer)
            )
            loaded[source] = content
            total += len(content)
            _check_size(len(content), total, pointer)
        contents[pointer] = loaded[source]
    return contents


def _stored_name(source: PdfSource | ContentSource) -> str | None:
    """Return the id of a source's upload or file."""
    file_id = source.file_id if isinstance(source, PdfSource) else None
    return source.upload_id or file_id


def _load_stored(names: Iterable[str], context: JobContext) -> Mapping[str, bytes]:
    """Return uploads and files by id, several at a time; too large ones are not loaded."""
    contents: dict[str, bytes] = {}
    total = 0
    with ThreadPoolExecutor(_MAX_PARALLEL) as pool:
        for batch in batched(dict.fromkeys(names), _MAX_PARALLEL, strict=False):
            if total > MAX_TOTAL_BYTES:
                break
            contents.update(zip(batch, pool.map(context.uploads, batch), strict=True))
            total += sum(len(contents[name]) for name in batch)
    return contents


def _local(source: PdfSource | ContentSource, stored: Mapping[str, bytes], pointer: str) -> bytes:
    name = _stored_name(source)
    if name is not None:
        return stored[name]
    is_uri = isinstance(source, PdfSource) and source.data_uri is not None
    text = source.base64 if isinstance(source, PdfSource) else source.content
    assert text is not None, "a source has exactly one of its fields"
    try:
        return b64decode(text)
    except binascii.Error as damage:
        field = "data_uri" if is_uri else "content"
        raise refused_option(f"{pointer}/{field}", "is no base64", "wrong_format") from damage


def _check_size(size: int, total: int, pointer: str) -> None:
    if size > MAX_SOURCE_BYTES:
        message = f"has {size} bytes; {MAX_SOURCE_BYTES} are allowed"
        raise refused_option(pointer, message, "too_large")
    if total > MAX_TOTAL_BYTES:
        message = f"makes {total} bytes of sources; {MAX_TOTAL_BYTES} are allowed together"
        raise refused_option(pointer, message, "too_large")
