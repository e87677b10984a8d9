"""What a request names beside its document: attachments and the watermark's picture."""

import binascii
from base64 import b64decode
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.fetching import MOST_S, fetched
from chalicelib.engine.job import Job
from chalicelib.engine.options.pdf import Source
from chalicelib.engine.outside import AddressRefused, Fetched, Outside, Unreachable

_ATTACHMENTS: Final = "/output/pdf/attachments"
_MOST_BYTES: Final = 20_000_000
_MOST_BYTES_IN_ALL: Final = 100_000_000


def resources_of(job: Job, outside: Outside) -> Mapping[Source, bytes]:
    """Return all that the job's PDF needs; each is fetched once, however often it is named.

    Raises RenderFailure `attachment_failed`, `url_not_allowed`, `asset_fetch_failed`,
    `upload_not_found` or `render_timeout`.
    """
    named = _named(job)
    here = {source: _here(source, job, name) for source, name in named.items() if not source.url}
    return {**here, **_elsewhere(named, job, outside)}


def _named(job: Job) -> dict[Source, str]:
    """Return what is named, and where in the request it first is."""
    pdf = job.output.pdf
    if "pdf" not in job.output.formats:
        return {}
    named: dict[Source, str] = {}
    for number, attachment in enumerate(pdf.attachments):
        named.setdefault(attachment.source, f"{_ATTACHMENTS}/{number}")
    if pdf.watermark is not None and pdf.watermark.image is not None:
        named.setdefault(pdf.watermark.image, "/output/pdf/watermark/image")
    return named


def _here(source: Source, job: Job, name: str) -> bytes:
    if source.upload_id is not None:
        return job.uploads(source.upload_id)
    assert source.content is not None
    try:
        return b64decode(source.content)
    except binascii.Error as error:
        raise _failure(name, f"its content is not base64 ({error})") from error


def _elsewhere(named: Mapping[Source, str], job: Job, outside: Outside) -> dict[Source, bytes]:
    urls = {source: source.url for source in named if source.url}
    found: dict[Source, bytes] = {}
    left = _MOST_BYTES_IN_ALL
    with closing(fetched(list(urls.values()), outside, job, most_bytes=_MOST_BYTES)) as coming:
        for source, answer in zip(urls, coming, strict=True):
            found[source] = _content(answer, named[source])
            left -= len(found[source])
            if left < 0:
                message = f"together they have more than {_MOST_BYTES_IN_ALL} bytes"
                raise _failure(named[source], message)
    return found


def _content(answer: Future[Fetched], name: str) -> bytes:
    try:
        return answer.result().content
    except AddressRefused as refused:
        raise RenderFailure("url_not_allowed", f"{name}/url: {refused}.") from refused
    except Unreachable as missed:
        room = f"it must answer within {MOST_S:g} s with at most {_MOST_BYTES} bytes"
        message = f"{missed}; {room}"
        raise _failure(name, message) from missed


def _failure(name: str, why: str) -> RenderFailure:
    code = "attachment_failed" if name.startswith(_ATTACHMENTS) else "asset_fetch_failed"
    return RenderFailure(code, f"{name}: {why}.")
