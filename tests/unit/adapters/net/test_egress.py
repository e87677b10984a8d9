"""The door: a name is looked up once, all its addresses are checked, the checked one is dialled."""

import socket
from collections.abc import Callable, Sequence
from threading import Event

import pytest

from chalicelib.adapters.net import addresses
from chalicelib.adapters.net.egress import Egress
from chalicelib.engine.outside import AddressRefused, Unreachable

type Dialled = list[tuple[str, int]]


@pytest.fixture
def dialled(monkeypatch: pytest.MonkeyPatch) -> Dialled:
    """Return whom was dialled; who has `dead` in the address does not answer."""
    seen: Dialled = []

    def connect(place: tuple[str, int], timeout: float) -> socket.socket:
        assert timeout > 0
        seen.append(place)
        if "dead" in place[0]:
            raise ConnectionRefusedError
        return socket.socket()

    monkeypatch.setattr(socket, "create_connection", connect)
    return seen


def door(*addresses: str, allow: str = "", own: Sequence[str] = ()) -> Egress:
    """Return a door in whose world every name has these addresses."""
    return Egress(
        allow=allow, own_hosts=frozenset(own), resolve=lambda _host, _port: list(addresses)
    )


def dial(egress: Egress, host: str = "name.example", port: int = 443) -> None:
    egress.dial(host, port, timeout_s=5).close()


def test_a_public_name_is_dialled_by_its_address(dialled: Dialled) -> None:
    dial(door("93.184.215.14"))

    assert dialled == [("93.184.215.14", 443)]


@pytest.mark.parametrize("port", [80, 443, 8080, 8443])
def test_the_ports_of_the_web_are_open(dialled: Dialled, port: int) -> None:
    dial(door("93.184.215.14"), port=port)

    assert dialled == [("93.184.215.14", port)]


@pytest.mark.parametrize("port", [-1, 0, 22, 25, 79, 81, 442, 444, 6379, 8079, 8081, 8444, 65536])
def test_all_other_ports_are_refused(dialled: Dialled, port: int) -> None:
    with pytest.raises(AddressRefused, match="only ports 80, 443, 8080, 8443"):
        dial(door("93.184.215.14"), port=port)

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
def test_one_private_address_is_enough(dialled: Dialled, addresses: list[str]) -> None:
    with pytest.raises(AddressRefused) as refused:
        dial(door(*addresses))

    assert dialled == []
    told = "it is a private or internal address, only public ones may be reached"
    assert str(refused.value) == f"name.example:443 is refused: {told}"


# The system reads them as C has always done; what counts is where they lead.
@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.1", "127.0.1", "0x7f.1", "0x7f000001", "2130706433", "017700000001",
        "0177.0.0.1", "0", "0.0", "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1",
        "0:0:0:0:0:0:0:1", "64:ff9b::127.0.0.1", "2002:7f00:1::", "169.254.169.254", "0xa9fea9fe",
        "2852039166", "169.254.170.2", "fd00:ec2::254", "100.100.100.200", "::127.0.0.1",
    ],
)  # fmt: skip
def test_no_way_of_writing_an_address_hides_it(dialled: Dialled, host: str) -> None:
    with pytest.raises(AddressRefused, match="private or internal"):
        dial(Egress(allow="", own_hosts=frozenset()), host)

    assert dialled == []


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "localhost."])
def test_localhost_is_not_reached(dialled: Dialled, host: str) -> None:
    with pytest.raises((AddressRefused, Unreachable)):
        dial(Egress(allow="", own_hosts=frozenset()), host)

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
def test_what_is_no_host_is_not_even_looked_up(dialled: Dialled, host: str) -> None:
    with pytest.raises(AddressRefused, match="a host is a name of at most 253 characters"):
        dial(door("93.184.215.14"), host)

    assert dialled == []


@pytest.mark.parametrize(
    "host", ["a", "a.b", "A.Example.", "my_bucket.s3.example", "-a.b", "xn--bcher-kva.example"]
)
def test_names_as_name_servers_know_them_are_hosts(dialled: Dialled, host: str) -> None:
    dial(door("93.184.215.14"), host)

    assert dialled == [("93.184.215.14", 443)]


@pytest.mark.parametrize("answer", [[], ["name.example"], ["127.1"], [""], ["93.184.215.14", "?"]])
def test_an_answer_that_is_no_address_is_none(dialled: Dialled, answer: list[str]) -> None:
    with pytest.raises(Unreachable, match=r"name\.example has no address"):
        dial(door(*answer))

    assert dialled == []


def test_what_a_host_leads_to_is_not_told(dialled: Dialled) -> None:
    for egress in (door("10.9.8.7"), door("93.184.215.14", own=["93.184.215.14"]), door()):
        with pytest.raises((AddressRefused, Unreachable)) as told:
            dial(egress, "outer.example")
        assert not {"10.9.8.7", "93.184.215.14"} & set(str(told.value).replace(":", " ").split())
        assert "outer.example" in str(told.value)

    assert dialled == []


def test_this_machine_is_refused_by_an_address_that_others_could_reach(
    dialled: Dialled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "is_public", lambda _address: True)

    for own in ("127.0.0.1", "::1"):
        with pytest.raises(AddressRefused, match="private or internal"):
            dial(door(own))
    dial(door("93.184.215.14"))
    dial(door("127.0.0.1", allow="127.0.0.1/32:443"))

    assert [place for place, _ in dialled] == ["93.184.215.14", "127.0.0.1"]


def test_the_same_port_elsewhere_is_refused_as_any_is(dialled: Dialled) -> None:
    for address in ("93.184.215.14", "10.2.3.4"):
        with pytest.raises(AddressRefused, match="only ports 80, 443, 8080, 8443 may be reached"):
            dial(door(address, allow="10.1.0.0/16:9000"), port=9000)

    assert dialled == []


def test_a_name_with_many_addresses_has_few_of_them_dialled(dialled: Dialled) -> None:
    with pytest.raises(Unreachable):
        dial(door(*(f"2a00:dead::{number}" for number in range(1, 300))))

    assert len(dialled) == 8


def test_a_name_that_leads_elsewhere_a_moment_later_gains_nothing(dialled: Dialled) -> None:
    answers = iter([["93.184.215.14"], ["127.0.0.1"]])
    egress = Egress(allow="", own_hosts=frozenset(), resolve=lambda _host, _port: next(answers))

    dial(egress)
    with pytest.raises(AddressRefused):
        dial(egress)

    assert dialled == [("93.184.215.14", 443)]


def test_an_exemption_lifts_both_rules_for_exactly_its_place(dialled: Dialled) -> None:
    egress = door("10.1.2.3", allow="10.1.0.0/16:9000, [::1/128]:443")

    dial(egress, port=9000)
    for port in (443, 9001):
        with pytest.raises(AddressRefused):
            dial(egress, port=port)
    with pytest.raises(AddressRefused):
        dial(door("10.2.2.3", allow="10.1.0.0/16:9000"), port=9000)
    with pytest.raises(AddressRefused):
        # The port is exempted for one network, not for all.
        dial(door("93.184.215.14", allow="10.1.0.0/16:9000"), port=9000)

    assert dialled == [("10.1.2.3", 9000)]


@pytest.mark.parametrize("host", ["api.example.com", "API.Example.COM", "api.example.com."])
@pytest.mark.parametrize("own", ["api.example.com", "Api.Example.com."])
def test_the_service_itself_is_refused_like_a_private_address(
    dialled: Dialled, host: str, own: str
) -> None:
    with pytest.raises(AddressRefused, match="private or internal"):
        dial(door("93.184.215.14", own=[own]), host)
    dial(door("93.184.215.14", own=[own], allow="93.184.215.14/32:443"), host)

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
def test_so_is_its_address_where_it_has_no_name(
    dialled: Dialled, own: str, host: str, leads_to: str
) -> None:
    with pytest.raises(AddressRefused, match="private or internal"):
        dial(door("1.1.1.1", leads_to, own=[own]), host)

    assert dialled == []


def test_what_is_an_address_is_not_looked_up(dialled: Dialled) -> None:
    with pytest.raises(AddressRefused):
        dial(door("93.184.215.14"), "127.1")
    dial(door("10.0.0.1"), "1.1.257")

    assert dialled == [("1.1.1.1", 443)]


def test_an_own_host_that_no_name_server_knows_stops_the_start() -> None:
    with pytest.raises(ValueError, match="written as xn--"):
        door(own=["bücher.example"])


def test_the_next_address_is_tried_when_one_does_not_answer(dialled: Dialled) -> None:
    dial(door("2a00:dead::1", "93.184.215.14"))

    assert dialled == [("2a00:dead::1", 443), ("93.184.215.14", 443)]


def test_who_does_not_answer_leaves_time_for_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    def connect(_place: tuple[str, int], timeout: float) -> socket.socket:
        waits.append(timeout)
        raise TimeoutError

    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(Unreachable):
        door("1.1.1.1", "8.8.8.8").dial("name.example", 443, timeout_s=10)

    assert waits[0] == 2.0
    assert waits[1] > 9


def test_who_does_not_answer_is_told_by_name_only(dialled: Dialled) -> None:
    with pytest.raises(Unreachable) as missed:
        dial(door("2a00:dead::1", "2a00:dead::2"))

    assert len(dialled) == 2
    assert str(missed.value) == "name.example:443 could not be connected to"


def test_a_look_up_that_does_not_end_is_given_up(dialled: Dialled) -> None:
    done = Event()

    def resolve(_host: str, _port: int) -> list[str]:
        done.wait(30)
        return ["93.184.215.14"]

    with pytest.raises(Unreachable, match="has no address"):
        Egress(allow="", own_hosts=frozenset(), resolve=resolve).dial("a", 443, timeout_s=0.05)
    done.set()

    assert dialled == []


@pytest.mark.parametrize("exempt_only", [False, True])
def test_who_may_reach_only_what_is_exempted(dialled: Dialled, *, exempt_only: bool) -> None:
    dial_so: Callable[[Egress], socket.socket] = lambda egress: egress.dial(  # noqa: E731
        "name.example", 80, timeout_s=5, exempt_only=exempt_only
    )

    dial_so(door("10.1.2.3", allow="10.1.2.3/32:80")).close()
    if exempt_only:
        with pytest.raises(AddressRefused, match="use https"):
            dial_so(door("93.184.215.14"))
    else:
        dial_so(door("93.184.215.14")).close()

    assert len(dialled) == (1 if exempt_only else 2)


def test_an_exemption_that_cannot_be_read_stops_the_start() -> None:
    with pytest.raises(ValueError, match=r"PLATEN_EGRESS_ALLOW: .* is not CIDR:port"):
        door(allow="127.0.0.1")
