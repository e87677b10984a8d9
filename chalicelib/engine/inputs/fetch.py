"""Fetching of attachments and the watermark's picture."""

import binascii
from base64 import b64decode
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from typing import Any, Final

from chalicelib.contract.options.pdf import ContentSource
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import PageJob
from chalicelib.engine.ports import (
    Egress,
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)

_MAX_BYTES: Final = 20_000_000
_MAX_TOTAL_BYTES: Final = 100_000_000


MAX_FETCH_S: Final = 10.0
_CONCURRENCY: Final = 4


def load_resources(
    job: PageJob, context: JobContext, egress: Egress
) -> Mapping[ContentSource, bytes]:
    """Return all resources that the job's PDF needs; each is fetched once, however often named.

    Raises RenderFailure `attachment_failed`, `url_not_allowed`, `asset_fetch_failed`,
    `upload_not_found` or `render_timeout`.
    """
    return load_contents(_json_pointers(job), context, egress)


def load_contents(
    pointers: Mapping[ContentSource, str], context: JobContext, egress: Egress
) -> Mapping[ContentSource, bytes]:
    """Return the contents of sources, given with their JSON Pointers; raises as above."""
    local = {
        source: _local_content(source, context, pointer)
        for source, pointer in pointers.items()
        if not source.url
    }
    return {**local, **_fetch_remote(pointers, context, egress)}


def _json_pointers(job: PageJob) -> dict[ContentSource, str]:
    """Return each named source with the JSON Pointer of its first mention."""
    if "pdf" not in job.output.formats:
        return {}
    pointers: dict[ContentSource, str] = {}
    for pointer, source in job.output.pdf.content_sources():
        pointers.setdefault(source, pointer)
    return pointers


def _local_content(source: ContentSource, context: JobContext, pointer: str) -> bytes:
    if source.upload_id is not None:
        return context.uploads(source.upload_id)
    assert source.content is not None
    try:
        return b64decode(source.content)
    except binascii.Error as error:
        raise _failure(pointer, f"its content is not base64 ({error})") from error


def _fetch_remote(
    pointers: Mapping[ContentSource, str], context: JobContext, egress: Egress
) -> dict[ContentSource, bytes]:
    urls = {source: source.url for source in pointers if source.url}
    contents: dict[ContentSource, bytes] = {}
    remaining_bytes = _MAX_TOTAL_BYTES
    with closing(
        fetch_all(list(urls.values()), egress, context, max_bytes=_MAX_BYTES)
    ) as responses:
        for source, response in zip(urls, responses, strict=True):
            contents[source] = fetched_content(response, pointers[source], _MAX_BYTES)
            remaining_bytes -= len(contents[source])
            if remaining_bytes < 0:
                message = f"together they have more than {_MAX_TOTAL_BYTES} bytes"
                raise _failure(pointers[source], message)
    return contents


def fetched_content(response: Future[FetchResponse], pointer: str, max_bytes: int) -> bytes:
    """Return the content of a finished fetch.

    Raises RenderFailure `url_not_allowed`, `attachment_failed` or `asset_fetch_failed`.
    """
    try:
        return response.result().content
    except HostRefusedError as refused:
        raise RenderFailure("url_not_allowed", f"{pointer}/url: {refused}.") from refused
    except HostUnreachableError as unreachable:
        limits = f"it must answer within {MAX_FETCH_S:g} s with at most {max_bytes} bytes"
        message = f"{unreachable}; {limits}"
        raise _failure(pointer, message) from unreachable


def _failure(pointer: str, reason: str) -> RenderFailure:
    code = "attachment_failed" if "/attachments/" in pointer else "asset_fetch_failed"
    return RenderFailure(code, f"{pointer}: {reason}.")


def fetch_all(
    urls: Sequence[str],
    egress: Egress,
    context: JobContext,
    *,
    max_bytes: int,
    https_only: bool = False,
) -> Generator[Future[FetchResponse]]:
    """Fetch URLs concurrently; yield each finished future, in the order of `urls`.

    Closing the generator early cancels the remaining fetches. Raises RenderFailure `render_timeout`
    at the job's deadline.
    """
    deadline = context.time_limit
    fetch = partial(_fetch_one, egress, deadline, max_bytes=max_bytes, https_only=https_only)
    pool = ThreadPoolExecutor(_CONCURRENCY, thread_name_prefix="fetch")
    try:
        for pending in [pool.submit(fetch, url) for url in urls]:
            pending_or_cancelled: list[Future[Any]] = [pending, deadline.cancellation]
            wait(pending_or_cancelled, deadline.remaining_s(), return_when=FIRST_COMPLETED)
            if not pending.done():
                raise timeout_failure()
            yield pending
    finally:
        # A running fetch cannot be interrupted; it ends by its own timeout, without being awaited.
        pool.shutdown(wait=False, cancel_futures=True)


def _fetch_one(
    egress: Egress, deadline: Deadline, url: str, *, max_bytes: int, https_only: bool
) -> FetchResponse:
    timeout_s = min(MAX_FETCH_S, deadline.remaining_s())
    return egress.fetch(url, max_bytes=max_bytes, timeout_s=timeout_s, https_only=https_only)
