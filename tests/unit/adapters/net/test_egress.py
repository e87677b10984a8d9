"""Guarded egress: one lookup per name, all addresses checked, the checked one dialled."""

import socket
from threading import Event

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core import egress_policy
from chalicelib.engine.ports import HostRefusedError, HostUnreachableError
from tests.builders.waiting import PATIENCE_S
from tests.unit.adapters.net.conftest import Dialled, dial, egress_for


def test_public_name_is_dialled_by_its_ip_address(dialled: Dialled) -> None:
    dial(egress_for("93.184.215.14"))

    assert dialled == [("93.184.215.14", 443)]


@pytest.mark.parametrize("port", [80, 443, 8080, 8443])
def test_web_ports_are_allowed(dialled: Dialled, port: int) -> None:
    dial(egress_for("93.184.215.14"), port=port)

    assert dialled == [("93.184.215.14", port)]


@pytest.mark.parametrize("port", [-1, 0, 22, 25, 79, 81, 442, 444, 6379, 8079, 8081, 8444, 65536])
def test_all_other_ports_are_refused(dialled: Dialled, port: int) -> None:
    with pytest.raises(HostRefusedError, match="only ports 80, 443, 8080, 8443"):
        dial(egress_for("93.184.215.14"), port=port)

    assert dialled == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1", "93.184.215.14"],
        ["93.184.215.14", "10.0.0.1"],
        ["93.184.215.14", "::ffff:127.0.0.1"],
        ["fe80::1%eth0"],
    ],
)
def test_one_private_ip_address_refuses_the_name(dialled: Dialled, addresses: list[str]) -> None:
    with pytest.raises(HostRefusedError) as refused:
        dial(egress_for(*addresses))

    assert dialled == []
    message = "it is a private or internal address, only public ones may be reached"
    assert str(refused.value) == f"name.example:443 is refused: {message}"


@pytest.mark.parametrize("answer", [[], ["name.example"], ["127.1"], [""], ["93.184.215.14", "?"]])
def test_dns_answer_without_ip_address_is_unreachable(dialled: Dialled, answer: list[str]) -> None:
    with pytest.raises(HostUnreachableError, match=r"name\.example has no address"):
        dial(egress_for(*answer))

    assert dialled == []


def test_errors_do_not_reveal_the_resolved_address(dialled: Dialled) -> None:
    for egress in (
        egress_for("10.9.8.7"),
        egress_for("93.184.215.14", own=["93.184.215.14"]),
        egress_for(),
    ):
        with pytest.raises((HostRefusedError, HostUnreachableError)) as error:
            dial(egress, "outer.example")
        assert not {"10.9.8.7", "93.184.215.14"} & set(str(error.value).replace(":", " ").split())
        assert "outer.example" in str(error.value)

    assert dialled == []


def test_loopback_is_refused_even_when_considered_public(
    dialled: Dialled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(egress_policy, "is_public", lambda _address: True)

    for own in ("127.0.0.1", "::1"):
        with pytest.raises(HostRefusedError, match="private or internal"):
            dial(egress_for(own))
    dial(egress_for("93.184.215.14"))
    dial(egress_for("127.0.0.1", allow="127.0.0.1/32:443"))

    assert [place for place, _ in dialled] == ["93.184.215.14", "127.0.0.1"]


def test_exempted_port_is_refused_for_other_networks(dialled: Dialled) -> None:
    for address in ("93.184.215.14", "10.2.3.4"):
        with pytest.raises(HostRefusedError, match="only ports 80, 443, 8080, 8443 may be reached"):
            dial(egress_for(address, allow="10.1.0.0/16:9000"), port=9000)

    assert dialled == []


def test_number_of_dialled_addresses_is_bounded(dialled: Dialled) -> None:
    with pytest.raises(HostUnreachableError):
        dial(egress_for(*(f"2a00:dead::{number}" for number in range(1, 300))))

    assert len(dialled) == 8


@pytest.mark.parametrize(
    ("url", "addresses", "word"),
    [
        ("https://name.example/a?b", ["93.184.215.14"], None),
        ("https://name.example/a?b", ["93.184.215.14", "10.0.0.1"], "private or internal"),
        ("https://name.example:9000/", ["93.184.215.14"], "only ports"),
        ("https://user:word@10.0.0.1/", [], "private or internal"),
        ("https://bücher.example/", ["fd00::1"], "private or internal"),
        ("http://name.example/", ["93.184.215.14"], "use https"),
        ("https://name.example/", [], None),
        ("https://[name/", ["10.0.0.1"], "a host is a name"),
        ("ftp://name.example/", ["10.0.0.1"], None),
    ],
)
def test_url_is_refused_by_a_lookup_alone(
    dialled: Dialled, url: str, addresses: list[str], word: str | None
) -> None:
    refusal = egress_for(*addresses).refusal(url, timeout_s=PATIENCE_S, https_only=True)

    assert (refusal is None) if word is None else (word in (refusal or ""))
    assert dialled == []


def test_dns_rebinding_is_refused(dialled: Dialled) -> None:
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])
    egress = GuardedEgress(
        allow="", own_hosts=frozenset(), resolve=lambda _host, _port: next(answers)
    )

    dial(egress)
    with pytest.raises(HostRefusedError):
        dial(egress)

    assert dialled == [("93.184.215.14", 443)]


def test_exemption_applies_to_exactly_its_network_and_port(dialled: Dialled) -> None:
    egress = egress_for("10.1.2.3", allow="10.1.0.0/16:9000, [::1/128]:443")

    dial(egress, port=9000)
    for port in (443, 9001):
        with pytest.raises(HostRefusedError):
            dial(egress, port=port)
    with pytest.raises(HostRefusedError):
        dial(egress_for("10.2.2.3", allow="10.1.0.0/16:9000"), port=9000)
    with pytest.raises(HostRefusedError):
        # The port is exempted for one network, not for all.
        dial(egress_for("93.184.215.14", allow="10.1.0.0/16:9000"), port=9000)

    assert dialled == [("10.1.2.3", 9000)]


@pytest.mark.parametrize("host", ["api.example.com", "API.Example.COM", "api.example.com."])
@pytest.mark.parametrize("own", ["api.example.com", "Api.Example.com."])
def test_service_hosts_are_refused_like_private_addresses(
    dialled: Dialled, host: str, own: str
) -> None:
    with pytest.raises(HostRefusedError, match="private or internal"):
        dial(egress_for("93.184.215.14", own=[own]), host)
    dial(egress_for("93.184.215.14", own=[own], allow="93.184.215.14/32:443"), host)

    assert dialled == [("93.184.215.14", 443)]


def test_next_address_is_tried_when_one_does_not_answer(dialled: Dialled) -> None:
    dial(egress_for("2a00:dead::1", "93.184.215.14"))

    assert dialled == [("2a00:dead::1", 443), ("93.184.215.14", 443)]


def test_unresponsive_address_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    def connect(_place: tuple[str, int], timeout: float) -> socket.socket:
        waits.append(timeout)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(HostUnreachableError):
        egress_for("1.1.1.1", "8.8.8.8").dial("name.example", 443, timeout_s=100)

    assert waits[0] == 2.0
    assert 50 < waits[1] <= 100


def test_unreachable_host_is_reported_by_name_only(dialled: Dialled) -> None:
    with pytest.raises(HostUnreachableError) as missed:
        dial(egress_for("2a00:dead::1", "2a00:dead::2"))

    assert len(dialled) == 2
    assert str(missed.value).startswith("name.example:443 could not be connected to: ")


def test_hanging_lookup_times_out(dialled: Dialled) -> None:
    done = Event()

    def resolve(_host: str, _port: int) -> list[str]:
        done.wait(PATIENCE_S)
        return ["93.184.215.14"]

    with pytest.raises(HostUnreachableError, match="could not be looked up in time"):
        GuardedEgress(allow="", own_hosts=frozenset(), resolve=resolve).dial(
            "a", 443, timeout_s=0.05
        )
    done.set()

    assert dialled == []


@pytest.mark.parametrize("exempt_only", [False, True])
def test_exempt_only_reaches_only_exempted_hosts(dialled: Dialled, *, exempt_only: bool) -> None:
    def dial_so(egress: GuardedEgress) -> socket.socket:
        return egress.dial("name.example", 80, timeout_s=PATIENCE_S, exempt_only=exempt_only)

    dial_so(egress_for("10.1.2.3", allow="10.1.2.3/32:80")).close()
    if exempt_only:
        with pytest.raises(HostRefusedError, match="use https"):
            dial_so(egress_for("93.184.215.14"))
    else:
        dial_so(egress_for("93.184.215.14")).close()

    assert len(dialled) == (1 if exempt_only else 2)


def test_invalid_exemption_fails_the_start() -> None:
    with pytest.raises(ValueError, match=r"PLATEN_EGRESS_ALLOW: .* is not CIDR:port"):
        egress_for(allow="127.0.0.1")
