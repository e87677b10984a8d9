"""Public IP addresses, and exemptions of the operator."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis.strategies import integers, ip_addresses

from chalicelib.core.egress_policy import _REFUSED_V4, EgressExemption, is_public

REFUSED = """
0.0.0.0 0.1.2.3 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.100.100.200 100.127.255.255
127.0.0.1 127.255.255.255 168.63.129.16 169.254.0.0 169.254.169.254 169.254.170.2 169.254.169.253
169.254.169.123 169.254.100.1 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.1 192.0.0.170
192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.0.0 192.168.255.255 192.175.48.1
198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.0
255.255.255.255
:: ::1 ::2 ::7f00:1 ::8.8.8.8 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::ffff:0:127.0.0.1
64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::1 100::1 1fff:ffff::1
2001::1 2001:0:7f00:1:: 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1
2002:7f00:1:: 2002:808:808:: 2620:4f:8000::1 3fff::1 3fff:fff:ffff::1
4000::1 5f00::1 7fff::1 8000::1 fbff::1 fc00::1 fd00:ec2::254 fd00:ec2::253 fdff::1
fe80::1 fe80::1%eth0 febf::1 fec0::1 fe00::1 ff02::1 ff0e::1
""".split()  # noqa: SIM905 -- a table

PUBLIC = """
1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0
168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0
192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
2000::1 2001:200::1 2001:4860:4860::8888 2001:db7:ffff::1 2001:db9::1 2001:ffff::1 2003::1
2606:4700:4700::1111 2a00:1450:4001::1 3ffe::1 3fff:1000::1
""".split()  # noqa: SIM905 -- a table


@pytest.mark.parametrize("address", REFUSED)
def test_private_and_internal_addresses_are_not_public(address: str) -> None:
    assert not is_public(ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_neighbours_of_private_addresses_are_public(address: str) -> None:
    assert is_public(ip_address(address))


@given(ip_addresses())
def test_reserved_registry_networks_are_not_public(
    address: IPv4Address | IPv6Address,
) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast


@pytest.mark.parametrize(
    ("text", "address", "port"),
    [
        ("127.0.0.1/32:9000", "127.0.0.1", 9000),
        (" 10.0.0.0/8:443 ", "10.20.30.40", 443),
        ("10.1.2.3:80", "10.1.2.3", 80),
        ("fd00::/8:443", "fd12::1", 443),
        ("[::1/128]:8700", "::1", 8700),
        ("[::1]/128:8700", "::1", 8700),
        ("[fd00::1]:443", "fd00::1", 443),
        ("93.184.0.0/16:9000", "93.184.215.14", 9000),
    ],
)
def test_an_exemption_is_for_its_network_and_port(text: str, address: str, port: int) -> None:
    exemption = EgressExemption.parse(text)

    assert exemption.covers(ip_address(address), port)
    assert not exemption.covers(ip_address(address), port + 1)
    assert not exemption.covers(ip_address("192.168.1.1"), port)
    assert not exemption.covers(ip_address(f"::ffff:{address}" if "." in address else "::2"), port)


SLIPS = """
127.0.0.1 127.0.0.1/32 :80 127.0.0.1/32: 127.0.0.1/32:0 127.0.0.1/32:65536 127.0.0.1/32:http
127.0.0.1/33:80 127.0.0.1/8:80 127.0.0.1/-1:80 127.0.0.1/:80 10.0.0.0/8:-1 10.0.0.0/8:+443
10.0.0.0/8:0443 10.0.0.0/8:80:443 10.0.0.0/8:80-443 10.0.0.0/8:* 10.0.0.0/8:80;10.0.0.0/8:443
localhost:80 *:443 example.com:443 10.0.0.0/08:443 10.0.0/8:443 10:443 010.0.0.0/8:443
10.0.0.0/255.0.0.0:443 10.0.0.0/0.255.255.255:443 0.0.0.0/0.0.0.0:443
0.0.0.0/0:443 0.0.0.0/1:443 10.0.0.0/7:443 10.0.0.0/0:443 172.16.0.0/11:443 192.168.0.0/15:443
128.0.0.0/1:443 224.0.0.0/3:443 ::/0:443 ::/1:443 2000::/3:443 fc00::/0:443 8000::/0:443
fd00::1:443 fd00::443 ::1 [::1 ::1]:80 [[::1]]:80 [10.0.0.0/8:443 fe80::1%eth0/128:443
10.0.0.0/8:\uff18\uff10 \uff11\uff10.0.0.0/8:80
""".split()  # noqa: SIM905 -- a table


@pytest.mark.parametrize("text", ["", "10.0.0.0/8:80 10.1.0.0/16:443", *SLIPS])
def test_malformed_exemption_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not CIDR:port"):
        EgressExemption.parse(text)


@given(four=ip_addresses(v=4), length=integers(0, 32), port=integers(1, 65535))
def test_exemption_is_for_one_ip_version(four: IPv4Address, length: int, port: int) -> None:
    network = IPv4Network((int(four), length), strict=False)
    try:
        exemption = EgressExemption.parse(f"{network}:{port}")
    except ValueError:
        assert length < 32
        return

    assert exemption.network == network
    ends = {is_public(network[0]), is_public(network[-1])}
    assert len(ends) == 1
    # One network of the list contains it completely, or none overlaps it.
    assert all(
        not network.overlaps(refused) or network.subnet_of(refused)
        for refused in map(IPv4Network, _REFUSED_V4)
    )
