"""Which address counts as the client's behind proxies, and which header is ignored."""

import pytest

from chalicelib.core.trusted_proxies import TrustedProxies

PROXIES = TrustedProxies("127.0.0.0/8, 10.0.0.0/8,fd00::/8")


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "client"),
    [
        ("203.0.113.7", [], "203.0.113.7"),
        ("127.0.0.1", [], "127.0.0.1"),
        ("127.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["203.0.113.7, 10.0.0.4"], "203.0.113.7"),
        ("127.0.0.1", ["203.0.113.7", "10.0.0.4"], "203.0.113.7"),
        ("fd00::1", ["2001:db8::7"], "2001:db8::7"),
        ("::ffff:10.0.0.1", ["203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["203.0.113.7:4711"], "203.0.113.7"),
        ("127.0.0.1", ["[2001:db8::7]:4711"], "2001:db8::7"),
        ("127.0.0.1", ["10.0.0.9, 10.0.0.4"], "10.0.0.9"),
    ],
)
def test_address_of_the_client(peer: str, forwarded_for: list[str], client: str) -> None:
    assert PROXIES.client_ip(peer, forwarded_for) == client


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "client"),
    [
        ("203.0.113.7", ["192.0.2.1"], "203.0.113.7"),
        ("127.0.0.1", ["192.0.2.1, 203.0.113.7"], "203.0.113.7"),
        ("127.0.0.1", ["192.0.2.1", "203.0.113.7, 10.0.0.4"], "203.0.113.7"),
        ("127.0.0.1", ["192.0.2.1, unknown"], "unknown"),
        ("127.0.0.1", ["192.0.2.1,"], ""),
    ],
)
def test_a_forged_header_does_not_count(peer: str, forwarded_for: list[str], client: str) -> None:
    assert PROXIES.client_ip(peer, forwarded_for) == client


def test_without_trusted_proxies_the_header_is_ignored() -> None:
    assert TrustedProxies("").client_ip("127.0.0.1", ["203.0.113.7"]) == "127.0.0.1"


@pytest.mark.parametrize("text", ["10.0.0.1/8", "example.com", "10.0.0.0/33", "10.0.0.0/8;::/0"])
def test_a_wrong_range_names_the_variable(text: str) -> None:
    with pytest.raises(ValueError, match="PLATEN_TRUSTED_PROXIES"):
        TrustedProxies(text)
