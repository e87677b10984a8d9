"""What a request names beside its document: attachments and the watermark's picture."""

import binascii
from base64 import b64decode
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from functools import partial
from typing import Any, Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import Job
from chalicelib.engine.options.pdf import ContentSource
from chalicelib.engine.ports import (
    DestinationRefusedError,
    DestinationUnreachableError,
    Egress,
    FetchResponse,
)

_ATTACHMENTS_POINTER: Final = "/output/pdf/attachments"
_MAX_BYTES: Final = 20_000_000
_MAX_TOTAL_BYTES: Final = 100_000_000


def load_resources(job: Job, egress: Egress) -> Mapping[ContentSource, bytes]:
    """Return all that the job's PDF needs; each is fetched once, however often it is named.

    Raises RenderFailure `attachment_failed`, `url_not_allowed`, `asset_fetch_failed`,
    `upload_not_found` or `render_timeout`.
    """
    named = _json_pointers(job)
    here = {
        source: _local_content(source, job, name)
        for source, name in named.items()
        if not source.url
    }
    return {**here, **_fetch_remote(named, job, egress)}


def _json_pointers(job: Job) -> dict[ContentSource, str]:
    """Return what is named, and where in the request it first is."""
    pdf = job.output.pdf
    if "pdf" not in job.output.formats:
        return {}
    named: dict[ContentSource, str] = {}
    for number, attachment in enumerate(pdf.attachments):
        named.setdefault(attachment.source, f"{_ATTACHMENTS_POINTER}/{number}")
    if pdf.watermark is not None and pdf.watermark.image is not None:
        named.setdefault(pdf.watermark.image, "/output/pdf/watermark/image")
    return named


def _local_content(source: ContentSource, job: Job, pointer: str) -> bytes:
    if source.upload_id is not None:
        return job.uploads(source.upload_id)
    assert source.content is not None
    try:
        return b64decode(source.content)
    except binascii.Error as error:
        raise _failure(pointer, f"its content is not base64 ({error})") from error


def _fetch_remote(
    pointers: Mapping[ContentSource, str], job: Job, egress: Egress
) -> dict[ContentSource, bytes]:
    urls = {source: source.url for source in pointers if source.url}
    found: dict[ContentSource, bytes] = {}
    left = _MAX_TOTAL_BYTES
    with closing(fetch_all(list(urls.values()), egress, job, max_bytes=_MAX_BYTES)) as coming:
        for source, answer in zip(urls, coming, strict=True):
            found[source] = _fetched_content(answer, pointers[source])
            left -= len(found[source])
            if left < 0:
                message = f"together they have more than {_MAX_TOTAL_BYTES} bytes"
                raise _failure(pointers[source], message)
    return found


def _fetched_content(answer: Future[FetchResponse], pointer: str) -> bytes:
    try:
        return answer.result().content
    except DestinationRefusedError as refused:
        raise RenderFailure("url_not_allowed", f"{pointer}/url: {refused}.") from refused
    except DestinationUnreachableError as missed:
        room = f"it must answer within {MAX_FETCH_S:g} s with at most {_MAX_BYTES} bytes"
        message = f"{missed}; {room}"
        raise _failure(pointer, message) from missed


def _failure(pointer: str, why: str) -> RenderFailure:
    code = "attachment_failed" if pointer.startswith(_ATTACHMENTS_POINTER) else "asset_fetch_failed"
    return RenderFailure(code, f"{pointer}: {why}.")


MAX_FETCH_S: Final = 10.0
_CONCURRENCY: Final = 4


def fetch_all(
    urls: Sequence[str], egress: Egress, job: Job, *, max_bytes: int, https_only: bool = False
) -> Generator[Future[FetchResponse]]:
    """Fetch some at once and return each when it has ended, in their order.

    Who closes it before its end spares itself the others. Raises RenderFailure `render_timeout`
    when the job's time has.
    """
    deadline = Deadline.at_epoch(job.deadline, job.cancellation)
    get = partial(_fetch_one, egress, deadline, max_bytes=max_bytes, https_only=https_only)
    pool = ThreadPoolExecutor(_CONCURRENCY, thread_name_prefix="fetch")
    try:
        for coming in [pool.submit(get, url) for url in urls]:
            either: list[Future[Any]] = [coming, deadline.cancellation]
            wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
            if not coming.done():
                raise timeout_failure()
            yield coming
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _fetch_one(
    egress: Egress, deadline: Deadline, url: str, *, max_bytes: int, https_only: bool
) -> FetchResponse:
    patience = min(MAX_FETCH_S, deadline.remaining_s())
    return egress.fetch(url, max_bytes=max_bytes, timeout_s=patience, https_only=https_only)
