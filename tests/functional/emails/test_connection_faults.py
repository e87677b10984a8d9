"""Tests of SMTP connections whose server is at fault, hostile or inside."""

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, override

import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.features.emails.connections.try_connection import RunConnectionTrial
from functions.send_email import handler
from tests.builders.email_connections import failed_step, smtp_connection
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.service import Service
from tests.builders.waiting import PATIENCE_S
from tests.fakes.raw_server import Play, raw_server
from tests.fakes.submission_server import HOST, PORT, STARTTLS, script, submission_server

pytestmark = [
    pytest.mark.usefixtures("reachable"),
    # aiosmtpd warns about the options that these tests set.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

READY = b"220 mail\r\n"


@pytest.fixture
def give_time(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Give the setter of the seconds that a test may take."""
    return lambda timeout_s: monkeypatch.setattr(
        handler, "RunConnectionTrial", partial(RunConnectionTrial, timeout_s=timeout_s)
    )


def scripted(*plays: Play) -> Any:
    return raw_server(*plays, address=(HOST, PORT))


def test_password_is_never_sent_without_tls(service: Service) -> None:
    with submission_server(None) as server:
        step = failed_step(service, smtp_connection(service))

    assert step == ("starttls", f"{HOST} offers no STARTTLS")
    assert server.logins == []


@pytest.mark.parametrize(
    ("case", "detail"),
    [
        ("authority", "has a certificate of an authority that is not trusted"),
        ("address", "has a certificate for another address"),
        ("expired", "has a certificate that has expired"),
    ],
)
def test_certificate_must_be_valid_for_the_host(
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: str,
    detail: str,
) -> None:
    names = ["127.0.0.1"] if case == "address" else [HOST]
    made = certificates(tmp_path, names, expired=case == "expired")
    if case != "authority":
        monkeypatch.setenv("SSL_CERT_FILE", str(made.ca_file))
    with submission_server(made.server) as server:
        name, told = failed_step(service, smtp_connection(service))

    assert (name, told.startswith(f"{HOST} {detail}")) == ("starttls", True), told
    assert server.logins == []


def test_what_a_server_says_before_tls_is_not_believed(
    service: Service, trusted: Certificates
) -> None:
    # Whoever is on the way answers the commands that only follow inside of TLS.
    injected = b"220 go on\r\n250-mail\r\n250 AUTH PLAIN\r\n235 welcome\r\n"
    said = (READY, STARTTLS, injected, b"250 mail\r\n", b"250 mail\r\n")
    with scripted(script(*said, tls=trusted.server)):
        step = failed_step(service, smtp_connection(service))

    assert step == ("smtp_auth", f"{HOST} offers no log-in (AUTH)")


@pytest.mark.parametrize(
    ("replies", "step", "detail"),
    [
        ((b"554 5.3.2 go away secret\r\n",), "connect", "answered 554 5.3.2"),
        ((b"HTTP/1.1 400 Bad\r\n\r\n",), "connect", "does not speak SMTP"),
        ((READY, STARTTLS, b"454 4.7.0 not now\r\n"), "starttls", "answered 454 4.7.0"),
        ((READY, b"500 what\r\n", b"500 what\r\n"), "starttls", "answered 500"),
        ((READY, STARTTLS, READY, b"no TLS" * 9), "starttls", "did not agree on TLS 1.2 or 1.3"),
    ],
)
def test_fault_is_told_by_its_step(
    service: Service, replies: tuple[bytes, ...], step: str, detail: str
) -> None:
    with scripted(script(*replies)):
        assert failed_step(service, smtp_connection(service)) == (step, f"{HOST} {detail}")


def test_server_that_ends_the_connection(service: Service) -> None:
    with scripted(lambda connection: connection.sendall(b"220-wait")):
        step = failed_step(service, smtp_connection(service))

    assert step == ("connect", f"{HOST} ended the connection, or did not speak SMTP")


def drip(connection: Any) -> None:
    while True:
        connection.sendall(b"2")
        time.sleep(0.05)


@pytest.mark.parametrize("play", [script(b""), drip])
def test_server_that_is_slow_ends_the_test_in_time(
    service: Service, give_time: Callable[[float], None], play: Play
) -> None:
    give_time(0.5)
    with scripted(play):
        told = failed_step(service, smtp_connection(service))

    assert told == ("connect", f"{HOST} took too long: all of it must be done within 0.5 s")


def test_server_that_is_slow_with_tls_ends_the_test_in_time(
    service: Service, give_time: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    time_is_over = threading.Event()

    class EventTimer(threading.Timer):
        @override
        def run(self) -> None:
            if time_is_over.wait(PATIENCE_S):
                self.function()

    def drip_in_tls(connection: Any) -> None:
        connection.sendall(READY)
        for reply in (STARTTLS, READY):
            connection.recv(1_024)
            connection.sendall(reply)
        connection.recv(4_096)
        connection.sendall(b"\x16\x03\x03\x3f\xff")
        time_is_over.set()
        drip(connection)

    monkeypatch.setattr(threading, "Timer", EventTimer)
    give_time(PATIENCE_S)
    with scripted(drip_in_tls):
        told = failed_step(service, smtp_connection(service))

    assert told == (
        "starttls",
        f"{HOST} took too long: all of it must be done within {PATIENCE_S:g} s",
    )


def test_server_that_never_stops_to_greet_fills_no_memory(service: Service) -> None:
    taken = []

    def play(connection: Any) -> None:
        while True:
            taken.append(connection.send(b"220-more\r\n" * 1_000))

    with scripted(play):
        step = failed_step(service, smtp_connection(service))

    assert step == ("connect", f"{HOST} ended the connection, or did not speak SMTP")
    # Most of it lies in the buffers of the sockets.
    assert sum(taken) < 20_000_000


def test_name_that_leads_to_a_private_address_is_not_connected_to(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside = {"mail.example": [HOST, "10.1.2.3"], "metadata.example": ["169.254.169.254"]}
    resolve = partial(GuardedEgress, resolve=lambda host, _port: inside[host])
    monkeypatch.setattr(handler, "GuardedEgress", resolve)
    with scripted(script(READY)) as server:
        for host, addresses in inside.items():
            name, told = failed_step(service, smtp_connection(service, host=host))

            assert (name, "private or internal address" in told) == ("connect", True), told
            assert not any(address in told for address in addresses)

    assert server.connections == 0
