"""CIDR ranges of allowlists: parse them, and tell whether an IP address is in one."""

import ipaddress
from collections.abc import Iterable
from typing import Final

from chalicelib.core.errors import validation_error

type IpNetwork = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV4_MAPPED_PREFIX_BITS: Final = 96


def parse_cidr_ranges(pointer: str, ranges: Iterable[str]) -> list[IpNetwork]:
    """Parse CIDR ranges; raise `validation_error` at `pointer` for an invalid one.

    A range of IPv4-mapped IPv6 addresses (RFC 4291, 2.5.5.2) becomes an IPv4 range.
    """
    return [_parse_cidr_range(pointer, text) for text in ranges]


def is_ip_in_ranges(ip_address: str, ranges: Iterable[str]) -> bool:
    """Tell whether an IP address is in a range; an IPv4-mapped IPv6 address counts as IPv4."""
    try:
        address = ipaddress.ip_address(ip_address)
    except ValueError:
        return False
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    return any(address in ipaddress.ip_network(text) for text in ranges)


def _parse_cidr_range(pointer: str, text: str) -> IpNetwork:
    if "%" in text:
        raise validation_error(
            pointer, f"{text} names an interface; leave out what follows the address"
        )
    try:
        network = ipaddress.ip_network(text)
    except ValueError as reason:
        raise validation_error(pointer, f"{text} is no CIDR range: {reason}") from reason
    mapped = getattr(network.network_address, "ipv4_mapped", None)
    if mapped is None or network.prefixlen < _IPV4_MAPPED_PREFIX_BITS:
        return network
    return ipaddress.ip_network((mapped, network.prefixlen - _IPV4_MAPPED_PREFIX_BITS))
