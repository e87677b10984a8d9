"""The one outbound door: whatever a tenant can name is reached through it, or not at all."""

import socket

from chalicelib.engine.outside import AddressRefused, Fetched


class Egress:
    """The engine's Outside."""

    def __init__(self, *, allow: str, own_hosts: frozenset[str]) -> None:
        """Let through what is public, and `allow`: a comma-separated list of `CIDR:port`.

        `own_hosts` are the service's own names, which are refused like private addresses.
        """
        self._allow = allow
        self._own_hosts = own_hosts

    def dial(self, host: str, port: int, *, timeout_s: float) -> socket.socket:
        """Connect to a host after all its addresses were checked."""
        raise AddressRefused(f"{host}:{port} may not be reached ({timeout_s})")

    def fetch(self, url: str, *, most_bytes: int, timeout_s: float) -> Fetched:
        """Get an http or https address, redirects checked again; 2xx only."""
        raise AddressRefused(f"{url} may not be reached ({most_bytes}, {timeout_s})")
