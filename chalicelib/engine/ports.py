"""The engine's way out of this machine: one door, which bootstrap hands in.

Nothing of the engine opens a connection by itself.
"""

import socket
from collections.abc import Mapping
from typing import Final, NamedTuple, Protocol

ALLOWED_TCP_PORTS: Final = (80, 443, 8080, 8443)


class DestinationRefusedError(Exception):
    """The address is private or internal, or has a scheme or port that is refused.

    Its text may be shown to the caller: it names no address that a name has led to.
    """


class DestinationUnreachableError(Exception):
    """What was asked did not answer, or not as it should; its text may be shown to the caller."""


def host_and_port(host: str, port: int) -> str:
    """Return how a host and port are written."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class FetchResponse(NamedTuple):
    """An answer; `url` is where the redirects have led to, header names are in lower case."""

    url: str
    status: int
    headers: Mapping[str, str]
    content: bytes


class Egress(Protocol):
    """The door."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Connect to a host after all its addresses were checked.

        Raises AddressRefused or Unreachable.
        """
        ...

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Get an http or https address, redirects checked again; 2xx only.

        `https_only`: plain http only to what the operator has named. Raises AddressRefused or
        Unreachable, also for what is larger or takes longer.
        """
        ...


class NoEgress:
    """A door that is shut."""

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Refuse."""
        del timeout_s
        raise DestinationRefusedError(
            f"{host_and_port(host, port)} is refused: nothing may be reached from here"
        )

    def fetch(
        self, url: str, *, max_bytes: int, timeout_s: float, https_only: bool = False
    ) -> FetchResponse:
        """Refuse."""
        del max_bytes, timeout_s, https_only
        raise DestinationRefusedError(f"{url} is refused: nothing may be reached from here")
