"""Disguised private IP addresses: embedded in other addresses, or in other notations."""

from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from random import Random

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.egress_policy import _REFUSED_NETWORKS, ip_literal, is_public
from chalicelib.engine.ports import HostRefusedError

# Metadata, credential, time and name servers of cloud providers.
METADATA = {
    "169.254.169.254": "AWS, Azure, Google, Oracle, DigitalOcean, Hetzner, OpenStack",
    "169.254.170.2": "AWS: credentials of tasks",
    "169.254.170.23": "AWS: credentials of pods",
    "169.254.169.253": "AWS: names",
    "169.254.169.123": "AWS: time",
    "169.254.169.249": "AWS: licences",
    "169.254.100.5": "AWS: within Lambda",
    "fd00:ec2::254": "AWS",
    "fd00:ec2::253": "AWS: names",
    "fd00:ec2::123": "AWS: time",
    "fd00:ec2::23": "AWS: credentials of pods",
    "168.63.129.16": "Azure",
    "fd20:ce::254": "Google",
    "fd00:c1::a9fe:a9fe": "Oracle",
    "192.0.0.192": "Oracle, once",
    "100.100.100.200": "Alibaba",
    "169.254.0.23": "Tencent",
    "169.254.42.42": "Scaleway",
    "fd00:42::42": "Scaleway",
    "fe80::a9fe:a9fe": "OpenStack, Hetzner",
    "fe80::a9fe:a9fe%eth0": "OpenStack, Hetzner",
}
# IPv6 forms that embed an IPv4 address, as numbers.
EMBEDDINGS: dict[str, Callable[[int], int]] = {
    "::a.b.c.d": lambda four: four,
    "::ffff:a.b.c.d": lambda four: 0xFFFF << 32 | four,
    "::ffff:0:a.b.c.d": lambda four: 0xFFFF << 48 | four,
    "NAT64": lambda four: 0x64_FF9B << 96 | four,
    "local NAT64, /96": lambda four: 0x64_FF9B_0001 << 80 | four,
    "local NAT64, /48": lambda four: (
        0x64_FF9B_0001 << 80 | (four >> 16) << 64 | (four & 0xFFFF) << 40
    ),
    "6to4": lambda four: 0x2002 << 112 | four << 80 | 1,
    "Teredo client": lambda four: 0x2001 << 112 | 0x0102_0304 << 64 | four ^ 0xFFFF_FFFF,
    "Teredo server": lambda four: 0x2001 << 112 | four << 64 | 0xFEFD_FCFB,
    "ISATAP, link-local": lambda four: 0xFE80 << 112 | 0x5EFE << 32 | four,
    "ISATAP, public": lambda four: 0x2606_4700 << 96 | 0x5EFE << 32 | four,
    "ISATAP, public and unique": lambda four: 0x2606_4700 << 96 | 0x0200_5EFE << 32 | four,
}
# Public according to the registries, but never a web site.
KEPT_BACK = [
    ip_network(cidr)
    for cidr in (
        "168.63.129.16/32", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
        "192.175.48.0/24", "224.0.0.0/4", "2001::/23", "2620:4f:8000::/48",
        "3fff::/20",
    )
]  # fmt: skip
GIVEN_OUT = IPv6Network("2000::/3")


@pytest.mark.parametrize("address", METADATA)
def test_metadata_addresses_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("name", EMBEDDINGS)
@given(four=integers(0, 2**32 - 1))
def test_address_embedding_ipv4_is_not_public(name: str, four: int) -> None:
    assert not is_public(IPv6Address(EMBEDDINGS[name](four)))


def test_scoped_address_is_not_public() -> None:
    assert is_public(ip_address("2606:4700::1111"))
    assert not is_public(ip_address("2606:4700::1111%eth0"))


def edges() -> Iterator[IPv4Address | IPv6Address]:
    """Yield the first and last address of each listed network, and their neighbours."""
    for network in _REFUSED_NETWORKS:
        for edge in (int(network[0]), int(network[-1])):
            for number in (edge - 1, edge, edge + 1):
                if 0 <= number < 2**network.max_prefixlen:
                    yield network[0].__class__(number)


def anywhere(count: int) -> Iterator[IPv4Address | IPv6Address]:
    """Yield random addresses from all ranges and around the allocated ones."""
    random = Random(7)  # noqa: S311 -- addresses, no secrets
    for _ in range(count):
        yield IPv4Address(random.getrandbits(32))
        yield IPv6Address(random.getrandbits(128))
        yield IPv6Address(1 << 125 | random.getrandbits(125))
        yield IPv6Address(0x2001 << 112 | random.getrandbits(112))


def test_is_public_equals_the_registries_plus_reserved_networks() -> None:
    for address in (*edges(), *anywhere(5_000)):
        theirs = address.is_global and not address.is_multicast and not address.is_reserved
        if isinstance(address, IPv6Address):
            theirs = theirs and address in GIVEN_OUT and not (address.sixtofour or address.teredo)
        kept_back = any(address in network for network in KEPT_BACK)
        assert is_public(address) == (theirs and not kept_back), address


def written(four: int, parts: int, bases: list[str]) -> str:
    """Write an IPv4 address as inet_aton reads it: the last part takes the remaining bytes."""
    whole = four.to_bytes(4)
    numbers = [*whole[: parts - 1], int.from_bytes(whole[parts - 1 :])]
    return ".".join(base.format(number) for base, number in zip(bases, numbers, strict=False))


@given(
    integers(0, 2**32 - 1),
    integers(1, 4),
    lists(sampled_from(["{}", "0x{:x}", "0X{:X}", "0x00{:x}", "0{:o}", "000{:o}"]), min_size=4),
)
def test_ip_address_is_parsed_in_all_notations(four: int, parts: int, bases: list[str]) -> None:
    assert ip_literal(written(four, parts, bases)) == IPv4Address(four)


@given(
    sampled_from(["127.0.0.1", "10.1.2.3", "169.254.169.254", "192.168.0.1", "100.100.100.200"]),
    integers(1, 4),
    lists(sampled_from(["{}", "0x{:x}", "0X{:X}", "0{:o}"]), min_size=4),
    sampled_from(["", "."]),
)
def test_no_notation_of_a_private_address_is_dialled(
    address: str, parts: int, bases: list[str], dot: str
) -> None:
    host = written(int(IPv4Address(address)), parts, bases) + dot

    with pytest.raises(HostRefusedError, match="private or internal"):
        GuardedEgress(allow="", own_hosts=frozenset()).dial(host, 80, timeout_s=1)


@pytest.mark.parametrize("host", ["a.example", "1.2.3.4.5", "256.1.1.1", "0x", "08.1.1.1", "", "x"])
def test_host_name_is_no_ip_address(host: str) -> None:
    assert ip_literal(host) is None
