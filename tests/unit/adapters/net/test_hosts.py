"""Host notations: valid forms, and none that hides a private IP address."""

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.ports import HostRefusedError, HostUnreachableError
from tests.unit.adapters.net.conftest import Dialled, dial, egress_for


# The system parses them with inet_aton; the resulting address decides.
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001",
        "0177.0.0.1", "0", "0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1",
        "0:0:0:0:0:0:0:1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "169.254.169.254", "0xa9fea9fe",
        "2852039166", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "::127.0.0.1",
    ],
)  # fmt: skip
def test_no_notation_hides_a_private_address(dialled: Dialled, host: str) -> None:
    with pytest.raises(HostRefusedError, match="private or internal"):
        dial(GuardedEgress(allow="", own_hosts=frozenset()), host)

    assert dialled == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost."])
def test_localhost_is_not_reached(dialled: Dialled, host: str) -> None:
    with pytest.raises((HostRefusedError, HostUnreachableError)):
        dial(GuardedEgress(allow="", own_hosts=frozenset()), host)

    assert dialled == []


@pytest.mark.parametrize(
    "host",
    [
        "", ".", "a..b", ".a", "a..", "x" * 64, "x." * 127 + "x", "x" * 300, "*", "\udc80", "a\0b",
        "a b", "a\tb", "a\r\nHost: b", "a\n", " a", "127.0.0.1 a", "a%2eb", "a%00b", "a\\b", "a/b",
        "a?b", "a#b", "u@a", "u:p@a", "a:80", "[::1]", "[a]", "[127.0.0.1]", "::1]", "1:2", ":",
        "\uff11\uff12\uff17.0.0.1", "127\u30020\u30020\u30021", "\u2460\u2461\u2466.0.0.1",
        "\uff41\uff50\uff49.example.com", "b\xfccher.example", "a\xadb", "127.0.0.1\u200b",
    ],
)  # fmt: skip
def test_invalid_host_is_not_looked_up(dialled: Dialled, host: str) -> None:
    with pytest.raises(HostRefusedError, match="a host is a name of at most 253 characters"):
        dial(egress_for("93.184.215.14"), host)

    assert dialled == []


@pytest.mark.parametrize(
    "host", ["a", "a.b", "A.Example.", "my_bucket.s3.example", "-a.b", "xn--bcher-kva.example"]
)
def test_names_in_dns_form_are_valid_hosts(dialled: Dialled, host: str) -> None:
    dial(egress_for("93.184.215.14"), host)

    assert dialled == [("93.184.215.14", 443)]


@pytest.mark.parametrize(
    ("own", "host", "leads_to"),
    [
        ("93.184.215.14", "other.example", "93.184.215.14"),
        ("0x5db8d70e", "other.example", "93.184.215.14"),
        ("93.184.215.14", "93.184.55054", "1.1.1.1"),
        ("2606:4700:0::1111", "other.example", "2606:4700::1111"),
        ("2606:4700::1111", "2606:4700:0:0::1111", "1.1.1.1"),
    ],
)
def test_service_without_a_name_is_recognised_by_its_ip_address(
    dialled: Dialled, own: str, host: str, leads_to: str
) -> None:
    with pytest.raises(HostRefusedError, match="private or internal"):
        dial(egress_for("1.1.1.1", leads_to, own=[own]), host)

    assert dialled == []


def test_ip_address_is_not_looked_up(dialled: Dialled) -> None:
    with pytest.raises(HostRefusedError):
        dial(egress_for("93.184.215.14"), "127.1")
    dial(egress_for("10.0.0.1"), "1.1.257")

    assert dialled == [("1.1.1.1", 443)]


def test_own_host_outside_dns_form_fails_the_start() -> None:
    with pytest.raises(ValueError, match="written as xn--"):
        egress_for(own=["bücher.example"])
