"""Stored content: what changes with a deployment only, made once and answered from memory."""

import gzip
import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from chalicelib.api.edge.endpoint import Reply
from chalicelib.api.pages.negotiation import has_current, takes_gzip

_ETAG_CHARS: Final = 32


class Content(NamedTuple):
    """Content in both encodings; the ETag is weak, as it is that of both.

    `gzipped` is None where compression saves nothing.
    """

    plain: bytes
    gzipped: bytes | None
    content_type: str
    etag: str


def content_of(plain: bytes, content_type: str, *, is_packed: bool = False) -> Content:
    """Return bytes as content, compressed unless they already are."""
    digest = hashlib.sha256(plain).hexdigest()[:_ETAG_CHARS]
    gzipped = None if is_packed else gzip.compress(plain, mtime=0)
    return Content(plain, gzipped, content_type, f'W/"{digest}"')


def content_reply(
    content: Content, request_headers: Mapping[str, str], headers: Mapping[str, str] | None = None
) -> Reply:
    """Answer with content as the client takes it, or with 304 if it has it.

    `headers` are sent beside those of the content; a Vary among them is joined with its own.
    """
    given = dict(headers or {})
    vary = ", ".join(filter(None, ("Accept-Encoding", given.pop("Vary", ""))))
    sent = {**given, "ETag": content.etag, "Vary": vary}
    if has_current(request_headers.get("if-none-match", ""), content.etag):
        return Reply(HTTPStatus.NOT_MODIFIED, headers=sent)
    if content.gzipped is not None and takes_gzip(request_headers.get("accept-encoding", "")):
        packed = {**sent, "Content-Encoding": "gzip"}
        return Reply(HTTPStatus.OK, content.gzipped, content.content_type, packed)
    return Reply(HTTPStatus.OK, content.plain, content.content_type, sent)
