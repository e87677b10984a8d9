"""HTTP client over the guarded egress, with limits on bytes and time (decision 15)."""

import logging
import re
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from http.cookiejar import DefaultCookiePolicy
from typing import Final, NotRequired, Self, TypedDict, Unpack

import h11
import httpx

from chalicelib.adapters.net.connections import (
    ConnectionLostError,
    DeadlineError,
    HttpConnection,
    RequestBudget,
)
from chalicelib.adapters.net.transport import Connector, Destination, EgressTransport
from chalicelib.core import egress_policy
from chalicelib.engine.ports import (
    EgressError,
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)

_FETCH_REDIRECTS: Final = 5
_HEADERS: Final = {"Accept": "*/*", "Accept-Encoding": "identity", "User-Agent": "Platen"}
# For fetches; only gzip, because it can be unpacked step by step under a size limit.
_PACKED: Final = {"Accept-Encoding": "gzip"}
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[!-~](?:[\t -~]*[!-~])?|")
# They are about the connection, and the service's own hosts are refused by name: another `Host`
# would lead to one of them on an address that it shares.
_OWN_HEADERS: Final = frozenset(
    {"host", "connection", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade", "expect"}
)
# Headers that a redirect to another origin keeps: no credentials, no signature.
_NEUTRAL_HEADERS: Final = frozenset(
    {"host", "accept", "accept-encoding", "user-agent", "connection"}
    | {"content-type", "content-length", "transfer-encoding"}
)
# httpx logs each URL at INFO, and URLs carry secrets.
logging.getLogger("httpx").setLevel(logging.WARNING)

type _Body = bytes | Iterable[bytes]


class RequestOptions(TypedDict):
    """Options of a request.

    headers: sent beside `Accept`, `Accept-Encoding: identity` and `User-Agent`, or instead of them
    body: bytes, or pieces that are sent chunked unless `headers` has a Content-Length
    ports: TCP ports that may be reached; by default those of the web
    https_only: plain http only to exempted destinations, also after the first https response
    redirects: most redirects that are followed, each checked again; by default 0: a 3xx is returned
    max_bytes: the rest of a longer body is not read
    timeout_s: from the lookup of the name to the last byte of the body
    """

    headers: NotRequired[Mapping[str, str]]
    body: NotRequired[_Body]
    ports: NotRequired[Collection[int]]
    https_only: NotRequired[bool]
    redirects: NotRequired[int]
    max_bytes: int
    timeout_s: float


class HttpClient:
    """Client that keeps a connection to each destination until it is closed; for one thread.

    A kept connection takes only the first request to its scheme, host and port under the same
    rules. It is dropped after an error, after a body that was not read to its end, and when bytes
    have arrived that nobody requested.
    """

    def __init__(self, connect: Connector) -> None:
        """Reach hosts by `connect`, which checks them."""
        self._connect = connect
        self._kept: dict[Destination, HttpConnection] = {}

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.close()

    def close(self) -> None:
        """Close all kept connections; may be repeated."""
        while self._kept:
            self._kept.popitem()[1].close()

    def request(self, method: str, url: str, **options: Unpack[RequestOptions]) -> FetchResponse:
        """Send a request and return its response of any status.

        The content is as the server sent it, cut at `max_bytes`. A request is repeated only if a
        kept connection turns out to be closed, and only if no byte was sent or the method is
        idempotent; pieces of a body are never sent twice. Raises HostRefusedError or
        HostUnreachableError, which tell by `sent` whether a server may have acted, and
        ValueError for headers that cannot be sent. Exceptions of reading the body are passed on.
        """
        assert method != "CONNECT"
        headers = _complete_headers(options.get("headers", {}))
        max_bytes = options["max_bytes"]
        budget = RequestBudget(max_bytes, options["timeout_s"])
        ports = options.get("ports", egress_policy.ALLOWED_TCP_PORTS)
        https_only = options.get("https_only", False)
        transport = EgressTransport(self._connect, self._kept, budget, ports, https_only=https_only)
        with _egress_errors(url, budget), _http(transport) as http:
            request = http.build_request(
                method, url, headers=headers, content=options.get("body", b"")
            )
            if request.url.userinfo:
                raise HostRefusedError(
                    "an address has no user name and no password here, a header carries them"
                )
            response = _follow_redirects(http, transport, request, options.get("redirects", 0))
            content = _read(response.iter_raw(), max_bytes)
            # The rest of a longer body is still on its connection.
            if len(content) <= max_bytes:
                transport.keep()
            return _fetch_response(response, content, max_bytes)

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool
    ) -> FetchResponse:
        """Get a URL and follow its redirects; only a 2xx whose body fits is returned.

        With `https_only`, and after the first https response, plain http is allowed only to
        destinations that the operator has exempted. Raises HostRefusedError or
        HostUnreachableError.
        """
        budget = RequestBudget(max_bytes, timeout_s)
        ports = egress_policy.ALLOWED_TCP_PORTS
        transport = EgressTransport(self._connect, self._kept, budget, ports, https_only=https_only)
        with _egress_errors(url, budget), _http(transport) as http:
            request = http.build_request("GET", url, headers={**_HEADERS, **_PACKED})
            response = _follow_redirects(http, transport, request, _FETCH_REDIRECTS)
            content = _read(_unpack(response, max_bytes), max_bytes)
        if len(content) > max_bytes:
            message = f"{_host(response.url)} answered with more than {max_bytes} bytes"
            raise HostUnreachableError(message)
        return _fetch_response(response, content, max_bytes)


def _http(transport: httpx.BaseTransport) -> httpx.Client:
    """Return httpx without cookies and without settings of the environment."""
    # A proxy of the environment would dial for us, past all checks of addresses (decision 15).
    http = httpx.Client(transport=transport, trust_env=False)
    http.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return http


def _complete_headers(headers: Mapping[str, str]) -> httpx.Headers:
    for name, value in headers.items():
        if not (_HEADER_NAME.fullmatch(name) and _HEADER_VALUE.fullmatch(value)):
            raise ValueError(f"{name!r} is no header that can be sent")
        if name.lower() in _OWN_HEADERS:
            raise ValueError(f"the header {name} is the client's own")
    complete = httpx.Headers(_HEADERS)
    complete.update(headers)
    return complete


def _follow_redirects(
    http: httpx.Client, transport: EgressTransport, request: httpx.Request, redirects: int
) -> httpx.Response:
    if redirects == 0:
        # `http.send` would refuse a response whose `Location` cannot be read.
        return transport.handle_request(request)
    first = request
    for _ in range(redirects + 1):
        response = http.send(request, stream=True)
        if response.next_request is None:
            return response
        request = _redirect_request(request, response.next_request)
    raise HostUnreachableError(f"{_host(first.url)} redirects more than {redirects} times")


def _redirect_request(request: httpx.Request, following: httpx.Request) -> httpx.Request:
    """Return the request of a redirect; another origin gets no header of the caller."""
    if not isinstance(following.stream, httpx.ByteStream):
        message = f"{_host(request.url)} redirects a body that can be sent only once"
        raise HostUnreachableError(message)
    # A signature or a key is for the origin that the caller has named (decision 15).
    if _origin(request.url) != _origin(following.url):
        for name in following.headers.keys() - _NEUTRAL_HEADERS:
            del following.headers[name]
    return following


def _origin(url: httpx.URL) -> tuple[str, bytes, int | None]:
    return url.scheme, url.raw_host, url.port


@contextmanager
def _egress_errors(url: str, budget: RequestBudget) -> Iterator[None]:
    """Turn all failures into the errors of egress, which tell whether bytes were sent."""
    try:
        with _readable_errors(url, budget):
            if "\\" in url:
                raise HostRefusedError(
                    "an address has no backslashes: browsers read them as slashes"
                )
            yield
    except EgressError as error:
        error.sent = budget.sent
        raise


@contextmanager
def _readable_errors(url: str, budget: RequestBudget) -> Iterator[None]:
    try:
        yield
    except httpx.UnsupportedProtocol as error:
        raise HostRefusedError("only http and https addresses can be fetched") from error
    # A name that is invalid in IDNA raises UnicodeError.
    except (httpx.InvalidURL, UnicodeError) as error:
        raise HostRefusedError(
            "an address is https://host:port/path, its port up to 65535"
        ) from error
    except DeadlineError as error:
        seconds = f"{round(budget.timeout_s, 1):g}"
        raise HostUnreachableError(
            f"{_host(url)} took too long to answer: all of it must arrive within {seconds} s"
        ) from error
    except h11.LocalProtocolError as error:
        message = f"{_host(url)} cannot be sent this request: it is no valid HTTP"
        raise HostUnreachableError(message) from error
    except ConnectionLostError as error:
        raise HostUnreachableError(f"{_host(url)} {error}") from error
    except (h11.RemoteProtocolError, httpx.HTTPError) as error:
        raise HostUnreachableError(f"{_host(url)} gave no valid HTTP/1.1 answer") from error


def _read(pieces: Iterable[bytes], max_bytes: int) -> bytes:
    """Return the content of pieces, and some more than `max_bytes` if there is more."""
    content = bytearray()
    for piece in pieces:
        content += piece
        if len(content) > max_bytes:
            break
    return bytes(content)


def _fetch_response(response: httpx.Response, content: bytes, max_bytes: int) -> FetchResponse:
    headers = {name.lower(): value for name, value in response.headers.items()}
    return FetchResponse(
        str(response.url),
        response.status_code,
        headers,
        content[:max_bytes],
        is_truncated=len(content) > max_bytes,
    )


def _unpack(response: httpx.Response, max_bytes: int) -> Iterator[bytes]:
    """Return the body of a 2xx response in pieces, unpacked."""
    host = _host(response.url)
    if not response.is_success:
        raise HostUnreachableError(f"{host} answered {response.status_code}")
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in {"identity", "gzip"}:
        raise HostUnreachableError(f"{host} answered in an encoding that was not asked for")
    pieces = response.iter_raw()
    return _gunzip(pieces, max_bytes + 1) if encoding == "gzip" else pieces


def _gunzip(pieces: Iterator[bytes], max_piece_bytes: int) -> Iterator[bytes]:
    """Unpack gzip; yields pieces of at most `max_piece_bytes`, so a zip bomb cannot fill memory."""
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)
    try:
        for piece in pieces:
            yield packed.decompress(piece, max_piece_bytes)
            if packed.unused_data:
                break
    except zlib.error as error:
        raise httpx.DecodingError(str(error)) from error
    if not packed.eof:
        raise httpx.DecodingError("cut short")


def _host(url: str | httpx.URL) -> str:
    return httpx.URL(url).raw_host.decode()
