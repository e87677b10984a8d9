"""Address ranges of allowlists: reading them, and asking whether an address is inside."""

import ipaddress
from collections.abc import Iterable

from chalicelib.core.errors import invalid

type Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def networks(pointer: str, ranges: Iterable[str]) -> list[Network]:
    """Read CIDR ranges; raises `validation_error` at `pointer` for what is none."""
    found = []
    for text in ranges:
        try:
            found.append(ipaddress.ip_network(text))
        except ValueError as reason:
            raise invalid(pointer, f"{text} is no CIDR range: {reason}") from reason
    return found


def within(address: str, ranges: Iterable[str]) -> bool:
    """Tell whether an address is in one of the ranges; an IPv4 address mapped into IPv6 is IPv4."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in ipaddress.ip_network(text) for text in ranges)
