"""Request heads of the browser: parsed strictly, and written anew for the host (RFC 9112)."""

import re
from dataclasses import dataclass
from typing import Final, Self

from chalicelib.core.egress_policy import host_and_port

MAX_HEAD_BYTES: Final = 262_144
_HEAD_END: Final = b"\r\n\r\n"
_HOST: Final = r"""(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[^]\[:/?#@\\%<>^`{|}"]+))"""
_PORT: Final = r":(?P<port>[0-9]{1,5})"
_HOST_PORT: Final = re.compile(_HOST + _PORT)
_ABSOLUTE_HTTP_URL: Final = re.compile(
    rf"http://(?P<authority>{_HOST}(?:{_PORT})?)(?P<path>/[^#]*)?"
)
_REQUEST_LINE: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.1")
_HEADER: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([^\r\n\0]*)")
# Connection-specific headers (RFC 9110 7.6.1), and `host`, which is written anew.
_HOP_BY_HOP: Final = re.compile(
    rb"host|connection|keep-alive|proxy-.*|te|trailer|upgrade|http2-settings", re.IGNORECASE
)


class UnreadableRequestError(Exception):
    """Bytes that are no request as the browser writes it."""


@dataclass(frozen=True, slots=True)
class ProxyRequest:
    """Parsed request: the `head` to forward and its `body_bytes`; a tunnel has no head."""

    host: str
    port: int
    url: str
    head: bytes | None = None
    body_bytes: int = 0

    @property
    def host_and_port(self) -> str:
        """Return `host:port`, with brackets around an IPv6 address."""
        return host_and_port(self.host, self.port)

    @classmethod
    def parse(cls, head: bytes) -> Self:
        """Parse a head without its final empty line; raises UnreadableRequestError."""
        first, *headers = head.split(b"\r\n")
        line = _REQUEST_LINE.fullmatch(first)
        if line is None:
            raise UnreadableRequestError
        method, target = line[1], line[2].decode("ascii")
        is_tunnel = method == b"CONNECT"
        match = (_HOST_PORT if is_tunnel else _ABSOLUTE_HTTP_URL).fullmatch(target)
        if match is None:
            raise UnreadableRequestError
        host, port = match["six"] or match["name"], int(match["port"] or 80)
        if is_tunnel:
            return cls(host, port, f"https://{target}")
        authority, path = match["authority"], match["path"] or "/"
        forwarded, body_bytes = _forwarded_headers(headers)
        lines = (
            method + f" {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: keep-alive".encode(),
            *forwarded,
        )
        return cls(host, port, target, b"\r\n".join(lines) + _HEAD_END, body_bytes)


def split_head(data: bytes) -> tuple[bytes, bytes] | None:
    """Return head and remaining bytes, or None if incomplete; raises UnreadableRequestError."""
    head, end, rest = data.partition(_HEAD_END)
    if len(head) > MAX_HEAD_BYTES:
        raise UnreadableRequestError
    return (head, rest) if end else None


def _forwarded_headers(headers: list[bytes]) -> tuple[list[bytes], int]:
    """Return the headers to forward, and the size of the body."""
    named = [_name_and_value(header) for header in headers]
    # Only Content-Length frames a body, so that proxy and host agree on its end: no request
    # smuggling (RFC 9112 11.2).
    if any(name == b"transfer-encoding" for name, _ in named):
        raise UnreadableRequestError
    connection_options = {
        option.strip()
        for name, value in named
        if name == b"connection"
        for option in value.lower().split(b",")
    }
    forwarded = [
        header
        for header, (name, _) in zip(headers, named, strict=True)
        if name == b"content-length"
        or not (name in connection_options or _HOP_BY_HOP.fullmatch(name))
    ]
    sizes = [value.strip(b" \t") for name, value in named if name == b"content-length"]
    if not sizes:
        return forwarded, 0
    if len(sizes) > 1 or not re.fullmatch(rb"[0-9]{1,15}", sizes[0]):
        raise UnreadableRequestError
    return forwarded, int(sizes[0])


def _name_and_value(header: bytes) -> tuple[bytes, bytes]:
    match = _HEADER.fullmatch(header)
    if match is None:
        raise UnreadableRequestError
    return match[1].lower(), match[2]
