"""Receivers by name and over TLS: look-ups that change or hang, and certificates."""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from chalicelib.adapters.net import connections, egress, transport
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.features.webhooks.deliveries import send
from functions.deliver_webhook import handler
from infra.setup.certificate import write as write_self_signed
from tests.builders.pages.certificates import certificates
from tests.builders.service import Service
from tests.builders.waiting import PATIENCE_S
from tests.builders.webhooks import DELIVERIES_PATH, failed_attempt, send_sample
from tests.fakes.dns_server import DnsAnswers, DnsServer
from tests.fakes.raw_server import Play, answer, raw_server, read_request, reset, silence
from tests.fakes.skipped_time import SkippedTime

TIMEOUT_S = 0.8
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
BUSY = b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n"
PRIVATE = "is refused: it is a private or internal address, only public ones may be reached"
NOT_TRUSTED = (
    "has a certificate of an authority that is not trusted, or leaves out intermediate ones"
)
NAMES: dict[str, DnsAnswers] = {
    "rebinds.test": [["A 127.0.0.1"], ["A 10.20.30.40"]],
    "alias.test": [["A 127.0.0.1"], ["CNAME inside.test."]],
    "mixed.test": [["A 127.0.0.1"], ["A 127.0.0.1", "A 169.254.169.254"]],
    "six.test": [["A 127.0.0.1"], ["AAAA fd00:ec2::254"]],
    "inside.test": [["A 169.254.169.254"]],
}


@pytest.fixture
def use_names(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str, int], Any]], None]:
    """Give the setter of what looks names up."""

    def use(resolve: Callable[[str, int], Any]) -> None:
        monkeypatch.setattr(handler, "GuardedEgress", partial(GuardedEgress, resolve=resolve))

    return use


type UseNames = Callable[[Callable[[str, int], Any]], None]


@pytest.mark.parametrize("name", ["rebinds.test", "alias.test", "mixed.test", "six.test"])
def test_name_that_leads_inside_at_the_next_attempt(
    service: Service, use_names: UseNames, name: str
) -> None:
    with DnsServer(NAMES) as names, raw_server(answer(BUSY)) as server:
        use_names(names.resolve)
        delivery = send_sample(service, server, server.url(host=name))
        service.clock.advance(seconds=6)
        service.tick()
        service.deliver_webhooks()
        path = f"{DELIVERIES_PATH}/{delivery['id']}"

        first, second = service.call("GET", path).json["attempts"]

        assert server.connections == 1
    assert (first["status_code"], first["error"]) == (503, None)
    assert second["status_code"] is None
    # The exemption of the port is one of its address alone.
    assert second["error"] == (
        f"{name}:{server.port} is refused: only ports 80, 443, 8080, 8443 may be reached"
    )


@pytest.mark.parametrize("address", ["10.20.30.40", "169.254.169.254", "127.0.0.1", "::1"])
def test_name_of_an_inner_address(service: Service, use_names: UseNames, address: str) -> None:
    use_names(lambda _host, _port: [address])
    with raw_server(answer(OK)) as server:
        error = failed_attempt(service, server, "https://name.test/")["error"]

    assert error == f"name.test:443 {PRIVATE}"


def test_name_without_an_address(service: Service, use_names: UseNames) -> None:
    with DnsServer({}) as names, raw_server(answer(OK)) as server:
        use_names(names.resolve)
        error = failed_attempt(service, server, "https://a.test/")["error"]

    assert error == "a.test has no address"


def test_look_up_and_answer_share_the_time(
    service: Service,
    use_names: UseNames,
    quick: Callable[[float], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = SkippedTime(monkeypatch, egress, connections, send)

    def resolve(_host: str, _port: int) -> list[str]:
        clock.skip(3 * PATIENCE_S)
        return ["127.0.0.1"]

    def play(connection: socket.socket) -> None:
        read_request(connection)
        clock.skip(2 * PATIENCE_S)
        head, end, body = OK.partition(b"\r\n\r\n")
        connection.sendall(head + end)
        # The other side ends the connection: without the look-up there would be as much time left.
        with suppress(TimeoutError):
            connection.recv(1)
        connection.sendall(body)

    use_names(resolve)
    quick(4 * PATIENCE_S)
    with raw_server(play) as server:
        attempt = failed_attempt(service, server, server.url(host="name.test"))

    assert attempt["error"].startswith("name.test took too long to answer")
    assert attempt["latency_ms"] >= 5_000 * PATIENCE_S


def test_look_up_without_an_end(
    service: Service, use_names: UseNames, quick: Callable[[float], None]
) -> None:
    stop = Event()

    def resolve(_host: str, _port: int) -> list[str]:
        stop.wait(PATIENCE_S)
        return ["127.0.0.1"]

    use_names(resolve)
    quick(TIMEOUT_S)
    with raw_server(answer(OK)) as server:
        attempt = failed_attempt(service, server, server.url(host="name.test"))
    stop.set()

    assert attempt["error"] == (
        "name.test could not be looked up in time: its name servers are slow"
    )
    assert server.connections == 0


@pytest.fixture
def authority(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Give a folder whose `authority.pem` is trusted once it is there."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    transport._tls_context.cache_clear()
    yield tmp_path
    transport._tls_context.cache_clear()


def test_receiver_with_a_good_certificate(service: Service, authority: Path) -> None:
    tls = certificates(authority).server
    with raw_server(answer(OK), tls=tls) as server:
        (attempt,) = send_sample(service, server)["attempts"]

    assert (attempt["status_code"], attempt["error"]) == (200, None)
    assert server.scheme == "https"


def expired(folder: Path) -> ssl.SSLContext:
    return certificates(folder, expired=True).server


def of_another_name(folder: Path) -> ssl.SSLContext:
    return certificates(folder, addresses=["127.0.0.2"], names=["name.test"]).server


def of_another_authority(folder: Path) -> ssl.SSLContext:
    certificates(folder)
    (folder / "other").mkdir()
    return certificates(folder / "other").server


def self_signed(folder: Path) -> ssl.SSLContext:
    certificates(folder)
    write_self_signed(folder / "own.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "own.pem")
    return context


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (expired, "has a certificate that has expired"),
        (of_another_name, "has a certificate for another address"),
        (
            self_signed,
            "has a certificate that it signed itself: one of a public authority is needed",
        ),
        (
            of_another_authority,
            NOT_TRUSTED,
        ),
    ],
)
def test_receiver_with_a_bad_certificate(
    service: Service, authority: Path, make: Callable[[Path], ssl.SSLContext], error: str
) -> None:
    with raw_server(answer(OK), tls=make(authority)) as server:
        attempt = failed_attempt(service, server)

    assert attempt["error"] == f"127.0.0.1 {error}"
    assert server.requests == []


def test_certificate_of_another_name(
    service: Service, authority: Path, use_names: UseNames
) -> None:
    use_names(lambda _host, _port: ["127.0.0.1"])
    tls = certificates(authority, names=["name.test"]).server
    with raw_server(answer(OK), tls=tls) as server:
        (attempt,) = send_sample(service, server, server.url(host="name.test"))["attempts"]
        assert attempt["status_code"] == 200

        attempt = failed_attempt(service, server, server.url(host="other.test"))

    assert attempt["error"] == "other.test has a certificate for another name"
    assert len(server.requests) == 1


def plain(connection: socket.socket) -> None:
    connection.recv(1_000)
    connection.sendall(OK)


def reset_within(connection: socket.socket) -> None:
    connection.recv(1_000)
    reset(connection)


@pytest.mark.parametrize(
    ("play", "error"),
    [
        (plain, "did not agree on TLS 1.2 or 1.3"),
        (
            lambda connection: connection.recv(1_000),
            "ended the connection before TLS was agreed on",
        ),
        (reset_within, "ended the connection before TLS was agreed on"),
    ],
    ids=["plain", "end", "reset"],
)
def test_port_without_tls(service: Service, play: Play, error: str) -> None:
    with raw_server(play) as server:
        url = server.url("/hook?token=hidden").replace("http:", "https:")

        attempt = failed_attempt(service, server, url)

    assert attempt["error"] == f"127.0.0.1 {error}"
    assert server.requests == []


def test_port_that_is_silent_about_tls(service: Service, quick: Callable[[float], None]) -> None:
    quick(TIMEOUT_S)
    with raw_server(silence) as server:
        attempt = failed_attempt(service, server, server.url().replace("http:", "https:"))

    assert attempt["error"] == (
        "127.0.0.1 took too long to answer: all of it must arrive within 0.8 s"
    )
    assert server.requests == []
