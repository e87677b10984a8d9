"""SMTP server with TLS in a process of its own, which keeps the time of each email."""

import asyncio
import datetime as dt
import json
import logging
import os
import ssl
import sys
import time
from collections.abc import Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Self

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from infra.bench.server_process import ServerProcess, tell

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject

PORT: Final = 2525
# Ports of submission are few: each benchmark has an address of its own.
_HOST: Final = f"127.{128 + (os.getpid() >> 14) % 64}.{os.getpid() >> 7 & 127}.{os.getpid() & 127}"
_POLL_S: Final = 1.0


class Arrival(NamedTuple):
    """Message-ID and length of an email, and the Unix time at which it was there."""

    message_id: str
    length: int
    at: float


class MailServer:
    """Server that takes every login and every email inside the block."""

    def __init__(self, certificate: Path) -> None:
        """Write the certificate, by which the server is known before it runs."""
        self.config: JsonObject = {"host": _HOST, "port": PORT, "username": "bench"}
        self.egress_exemption = f"{_HOST}/32:{PORT}"
        self.certificate = certificate
        _write_certificate(certificate, _HOST)

    def __enter__(self) -> Self:
        """Start the server."""
        self._process = ServerProcess(__name__, _HOST, str(self.certificate))
        return self

    def __exit__(self, *_: object) -> None:
        """End the server."""
        self._process.close()

    def arrivals(self) -> list[Arrival]:
        """Return the emails that have arrived, in their order."""
        return [Arrival(*row) for row in json.loads(self._process.state())]

    def wait_for(self, message_ids: Sequence[str], timeout_s: float) -> list[Arrival]:
        """Return the arrivals of these emails; raises AssertionError if one comes late or twice.

        One second more passes than it takes, in which a second copy would arrive.
        """
        deadline, wanted = time.monotonic() + timeout_s, set(message_ids)
        arrived: list[Arrival] = []
        while len({each.message_id for each in arrived}) < len(wanted):
            assert time.monotonic() < deadline, f"{len(arrived)} of {len(wanted)} have arrived"
            time.sleep(_POLL_S)
            arrived = [each for each in self.arrivals() if each.message_id in wanted]
        time.sleep(_POLL_S)
        arrived = [each for each in self.arrivals() if each.message_id in wanted]
        assert len(arrived) == len(wanted), f"{len(arrived) - len(wanted)} emails came twice"
        return arrived


def _write_certificate(path: Path, host: str) -> None:
    """Write key and certificate of a server that is its own authority."""
    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, host)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(host))]), critical=False
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(private + certificate.public_bytes(pem))


class _Inbox:
    def __init__(self) -> None:
        self.arrivals: list[Arrival] = []

    async def handle_DATA(  # noqa: N802 -- as aiosmtpd calls it
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content
        assert isinstance(content, bytes)
        head = content.partition(b"\r\n\r\n")[0].replace(b"\r\n ", b" ")
        (message_id,) = (
            line.partition(b":")[2].strip().decode()
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"message-id:")
        )
        self.arrivals.append(Arrival(message_id, len(content), time.time()))
        return "250 OK"


async def _serve(host: str, certificate: str) -> None:
    inbox, context = _Inbox(), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def session() -> SMTP:
        return SMTP(
            inbox,
            hostname=host,
            tls_context=context,
            require_starttls=True,
            auth_required=True,
            authenticator=lambda *_: AuthResult(success=True),
        )

    await asyncio.get_running_loop().create_server(session, host, PORT, backlog=128)
    await tell(lambda: json.dumps(inbox.arrivals))


if __name__ == "__main__":
    # It warns about a field of its own at each login.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    asyncio.run(_serve(*sys.argv[1:]))
