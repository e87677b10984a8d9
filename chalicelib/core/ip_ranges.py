"""Address ranges of allowlists: reading them, and asking whether an address is inside."""

import ipaddress
from collections.abc import Iterable
from typing import Final

from chalicelib.core.errors import validation_error

type IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV4_MAPPED_PREFIX_BITS: Final = 96


def parse_cidr_ranges(pointer: str, ranges: Iterable[str]) -> list[IpNetwork]:
    """Read CIDR ranges; raises `validation_error` at `pointer` for what is none.

    A range of IPv4 addresses that are mapped into IPv6 is one of IPv4 addresses.
    """
    return [_parse_cidr_range(pointer, text) for text in ranges]


def _parse_cidr_range(pointer: str, text: str) -> IpNetwork:
    if "%" in text:
        raise validation_error(
            pointer, f"{text} names an interface; leave out what follows the address"
        )
    try:
        found = ipaddress.ip_network(text)
    except ValueError as reason:
        raise validation_error(pointer, f"{text} is no CIDR range: {reason}") from reason
    mapped = getattr(found.network_address, "ipv4_mapped", None)
    if mapped is None or found.prefixlen < _IPV4_MAPPED_PREFIX_BITS:
        return found
    return ipaddress.ip_network((mapped, found.prefixlen - _IPV4_MAPPED_PREFIX_BITS))


def is_ip_in_ranges(ip_address: str, ranges: Iterable[str]) -> bool:
    """Tell whether an address is in one of the ranges; an IPv4 address mapped into IPv6 is IPv4."""
    try:
        found = ipaddress.ip_address(ip_address)
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return any(found in ipaddress.ip_network(text) for text in ranges)
