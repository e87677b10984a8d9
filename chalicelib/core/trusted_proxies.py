"""IP address of the client behind proxies whose `X-Forwarded-For` is believed."""

import ipaddress
from collections.abc import Iterable
from typing import Final

from chalicelib.core.ip_ranges import is_ip_in_ranges

_VARIABLE: Final = "PLATEN_TRUSTED_PROXIES"


class TrustedProxies:
    """Networks of the proxies in front of the service; the header of all others is ignored."""

    def __init__(self, networks: str) -> None:
        """Parse CIDR ranges, comma-separated; raises ValueError, which names the variable."""
        self._ranges = tuple(_range(text) for text in networks.split(",") if text.strip())

    def client_ip(self, peer: str, forwarded_for: Iterable[str]) -> str:
        """Return the address of the client whose request came from `peer`.

        `forwarded_for` are the values of `X-Forwarded-For`. Each proxy appends its own peer, so
        they are read from the end, up to the first address that is no trusted proxy. A client can
        have sent the addresses before it.
        """
        hops = [hop.strip() for value in forwarded_for for hop in value.split(",")]
        client = peer
        while hops and is_ip_in_ranges(client, self._ranges):
            client = _without_port(hops.pop())
        return client


def _range(text: str) -> str:
    try:
        return str(ipaddress.ip_network(text.strip()))
    except ValueError as error:
        message = f"{_VARIABLE}: {error}; write CIDR ranges, such as 10.0.0.0/8,fd00::/8"
        raise ValueError(message) from error


def _without_port(hop: str) -> str:
    """Return the address of `192.0.2.1:4711` or `[2001:db8::1]:4711`; some proxies add the port."""
    if hop.startswith("["):
        return hop[1:].partition("]")[0]
    return hop.partition(":")[0] if hop.count(":") == 1 else hop
