"""Ports of the engine: its network access, which bootstrap provides, and presigned objects.

No other part of the engine opens a connection by itself (decision 15).
"""

import socket
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, Protocol

from chalicelib.core.egress_policy import host_and_port


class SentState(Enum):
    """Part of a request that was given to the network when it failed.

    NOTHING: no byte of it, so no server can have acted. PART: some of it. ALL: its last byte, so
    the server may have acted although no response came.
    """

    NOTHING = "nothing"
    PART = "part"
    ALL = "all"


class EgressError(Exception):
    """Request or connection that failed; `sent` is the most that any server was sent of it.

    Its text may be shown to the caller: it names no IP address that a host name resolved to.
    """

    sent = SentState.NOTHING


class HostRefusedError(EgressError):
    """Destination that is private or internal, or whose scheme or port is not allowed."""


class HostUnreachableError(EgressError):
    """Destination that gave no usable response."""


class FetchResponse(NamedTuple):
    """Response after all redirects; `url` is the last URL, header names are in lower case.

    `is_truncated` when the body was longer than the `content` that was read.
    """

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes
    is_truncated: bool = False


class Egress(Protocol):
    """Network access of the engine."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Connect to a host after all its IP addresses were checked.

        Raises HostRefusedError or HostUnreachableError.
        """
        ...

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Get an http or https URL, with redirects checked again; accepts a 2xx response only.

        `https_only` allows plain http only to hosts that the operator has exempted. Raises
        HostRefusedError or HostUnreachableError, the latter also for a response that
        is larger than `max_bytes` or takes longer than `timeout_s`.
        """
        ...

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        """Return why `fetch` would refuse a URL, after a lookup of its host; send it nothing.

        The result is None for a URL that may be reached, or whose host has no address. Redirects
        are not known.
        """
        ...


class PresignedPost(NamedTuple):
    """Form (multipart/form-data) that stores one object: `fields` first, the file last."""

    url: str
    fields: Mapping[str, str]


class PresignedObjects(Protocol):
    """Port to objects whose addresses the caller of a function without rights has signed."""

    def get(self, url: str, *, max_bytes: int, timeout_s: float) -> bytes | None:
        """Return the object at `url`, or None where it is absent.

        Raises HostUnreachableError, also for an object that is larger than `max_bytes`.
        """
        ...

    def post(self, form: PresignedPost, content: bytes, *, timeout_s: float) -> None:
        """Store an object with a form; raises HostUnreachableError where it is refused."""
        ...


class NoEgress:
    """Egress that refuses every destination."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Raise HostRefusedError."""
        del timeout_s
        raise HostRefusedError(
            f"{host_and_port(host, port)} is refused: nothing may be reached from here"
        )

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Raise HostRefusedError."""
        del max_bytes, timeout_s, https_only
        raise HostRefusedError(f"{url} is refused: nothing may be reached from here")

    def refusal(self, url: str, *, timeout_s: float, https_only: bool = False) -> str | None:
        """Return the reason, which is that of every destination."""
        del timeout_s, https_only
        return f"{url} is refused: nothing may be reached from here"
