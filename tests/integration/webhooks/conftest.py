"""Receivers over TLS, and the whole service that trusts their authority and may reach them."""

import socket
import time
from collections.abc import Callable, Iterator

import pytest

from infra.local.running_stack import running_stack
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.stack.api_client import ApiClient
from tests.fakes.raw_server import RawServer, raw_server, read_request
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate"
FIRST_BYTE_S, PAUSE_S = 8.0, 0.5


def drip(connection: socket.socket) -> None:
    """Answer a byte at a time, which takes longer than ten seconds."""
    read_request(connection)
    time.sleep(FIRST_BYTE_S)
    for byte in OK:
        connection.sendall(bytes([byte]))
        time.sleep(PAUSE_S)


def answer_late(connection: socket.socket) -> None:
    """Answer within ten seconds."""
    read_request(connection)
    time.sleep(FIRST_BYTE_S)
    connection.sendall(OK)


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Give the certificate of the receivers, and the authority that signed it."""
    return certificates(tmp_path_factory.mktemp("authority"), names=["localhost"])


@pytest.fixture(scope="session")
def receiver(authority: Certificates) -> Iterator[WebhookReceiver]:
    with webhook_receiver(tls=authority.server) as running:
        yield running


@pytest.fixture(scope="session")
def named_receiver(authority: Certificates) -> Iterator[WebhookReceiver]:
    """Give a receiver whose address is a name."""
    with webhook_receiver(tls=authority.server, host="localhost") as running:
        yield running


@pytest.fixture(scope="session")
def slow(authority: Certificates) -> Iterator[RawServer]:
    """Give a receiver that is late once, and then just in time."""
    with raw_server(drip, answer_late, tls=authority.server) as running:
        yield running


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookReceiver]:
    """Give a receiver whose authority the service does not know."""
    unknown = certificates(tmp_path_factory.mktemp("unknown"))
    with webhook_receiver(tls=unknown.server) as running:
        yield running


@pytest.fixture(scope="session")
def live(
    authority: Certificates,
    receiver: WebhookReceiver,
    named_receiver: WebhookReceiver,
    slow: RawServer,
    stranger: WebhookReceiver,
) -> Iterator[ApiClient]:
    ports = (receiver.port, named_receiver.port, slow.port, stranger.port)
    # A name may lead to both addresses of this machine.
    allow = ",".join(
        f"{network}:{port}" for port in ports for network in ("127.0.0.1/32", "[::1]/128")
    )
    with (
        running_stack(PLATEN_EGRESS_ALLOW=allow, SSL_CERT_FILE=str(authority.ca_file)) as running,
        ApiClient(running, running.live_key) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def wait_until() -> Callable[[Callable[[], bool]], None]:
    """Give what waits until a condition holds; on a busy machine that takes a while."""

    def wait(is_done: Callable[[], bool]) -> None:
        end = time.monotonic() + 90
        while not is_done():
            assert time.monotonic() < end
            time.sleep(0.05)

    return wait
