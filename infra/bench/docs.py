"""Benchmark: the bytes of the reference with all that it loads, and of the OpenAPI document.

As a browser gets them: compressed, without headers. The ratio is the larger share of a limit.
"""

import http.client
import re
from collections.abc import Iterator
from typing import Final, NamedTuple
from urllib.parse import urljoin, urlsplit

from infra.bench.parts import Parts
from infra.bench.report import Limit, Report

LIMIT: Final = Limit(1.0)
_MAX_PAGE_KB: Final = 600
_MAX_DOCUMENT_KB: Final = 120
_BYTES_PER_KB: Final = 1000
_PAGE: Final = "/docs"
_DOCUMENT: Final = "/v1/openapi.json"
# Addresses of a page, and modules of a script.
_LOADED: Final = re.compile(
    rb'(?:src|data-document)="(/[^"]+)"|<link[^>]* href="(/[^"]+)"|\bfrom "(\./[^"]+)"'
)


class Size(NamedTuple):
    """Nothing is repeated: the bytes are the same each time."""


FULL: Final = Size()
SMOKE: Final = FULL


class _Answer(NamedTuple):
    sent_bytes: int
    content: bytes


def measure(parts: Parts, report: Report, _size: Size) -> None:
    """Print the table and the ratio."""
    netloc = urlsplit(parts.stack.files_host).netloc
    loaded = dict(_load(netloc, _PAGE, {_PAGE}))
    report.row("as sent", "bytes", "unpacked")
    for path, answer in loaded.items():
        report.row(path, str(answer.sent_bytes), str(len(answer.content)))
    page_kb = sum(answer.sent_bytes for answer in loaded.values()) / _BYTES_PER_KB
    document_kb = loaded[_DOCUMENT].sent_bytes / _BYTES_PER_KB
    report.check("reference with all that it loads", Limit(_MAX_PAGE_KB, unit=" KB"), page_kb)
    report.check("OpenAPI document", Limit(_MAX_DOCUMENT_KB, unit=" KB"), document_kb)
    report.result(LIMIT, max(page_kb / _MAX_PAGE_KB, document_kb / _MAX_DOCUMENT_KB))


def _load(netloc: str, path: str, seen: set[str]) -> Iterator[tuple[str, _Answer]]:
    """Yield what an address gives, and what that loads, each once."""
    answer = _get(netloc, path)
    yield path, answer
    if path == _DOCUMENT:
        return
    for groups in _LOADED.findall(answer.content):
        (name,) = filter(None, groups)
        address = urljoin(path, name.decode())
        if address not in seen:
            seen.add(address)
            yield from _load(netloc, address, seen)


def _get(netloc: str, path: str) -> _Answer:
    return _Answer(len(_body(netloc, path, "gzip")), _body(netloc, path, "identity"))


def _body(netloc: str, path: str, encoding: str) -> bytes:
    connection = http.client.HTTPConnection(netloc, timeout=60)
    try:
        headers = {"Accept": "text/html,*/*;q=0.8", "Accept-Encoding": encoding}
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        body = response.read()
    finally:
        connection.close()
    assert response.status == http.client.OK, (path, response.status)
    return body
