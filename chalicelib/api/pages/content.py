"""Stored content: what changes with a deployment only, made once and answered from memory."""

import gzip
import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

from chalicelib.api.edge.endpoint import Reply
from chalicelib.api.pages.negotiation import has_current, takes_coding

_ETAG_CHARS: Final = 32


class Content(NamedTuple):
    """Content in its encodings; the ETag is weak, as it is that of all.

    `gzipped` is None where compression saves nothing, `brotli` where no build has made it.
    """

    plain: bytes
    gzipped: bytes | None
    content_type: str
    etag: str
    brotli: bytes | None = None


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
    accepted = request_headers.get("accept-encoding", "")
    for coding, packed in (("br", content.brotli), ("gzip", content.gzipped)):
        if packed is not None and takes_coding(accepted, coding):
            encoded = {**sent, "Content-Encoding": coding}
            return Reply(HTTPStatus.OK, packed, content.content_type, encoded)
    return Reply(HTTPStatus.OK, content.plain, content.content_type, sent)
