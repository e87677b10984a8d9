"""`platen serve`: the service in the foreground, over a folder that keeps everything."""

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

import click

from chalicelib.engine.browser.chromium.installation import (
    BrowserMissingError,
    check_temporary_folder,
)
from infra.local.console import Console
from infra.local.foreground import run_in_foreground
from infra.local.log_file import LogFile
from infra.local.paths import StackFolder
from infra.local.public_addresses import AddressError, PublicAddresses, public_addresses
from infra.local.server import Address, WsgiServer
from infra.local.stack import GATEWAY_THREADS, Stack, start
from infra.serve.certificate import Certificate, CertificateError
from infra.serve.data_folder import DataFolder, UnusableFolderError
from infra.serve.maintenance import Maintenance
from infra.serve.tls_front import TlsFront

PORT: Final = 8700
# systemd kills a service after 90 s.
DRAIN_S: Final = 30.0


@click.command(epilog="Example: platen serve --data /srv/platen")
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    envvar="PLATEN_DATA",
    required=True,
    help="The folder of all data; it is made if it is not there.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="0 takes a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--tls-cert",
    type=click.Path(path_type=Path),
    envvar="PLATEN_TLS_CERT",
    help="Speak TLS with this chain of certificates (PEM), read again when it changes.",
)
@click.option(
    "--tls-key",
    type=click.Path(path_type=Path),
    envvar="PLATEN_TLS_KEY",
    help="Its key; without it the file of the certificates holds the key, too.",
)
@click.option("--logs", "form", flag_value="logs", help="A line per request and invocation.")
@click.option("--json", "form", flag_value="json", help="The same, one JSON object per line.")
def serve(
    *,
    data: Path,
    port: int,
    host: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    form: str | None,
) -> None:
    """Serve from a folder that keeps everything, until a signal comes."""
    if tls_key and not tls_cert:
        _fail("--tls-key (PLATEN_TLS_KEY) has no --tls-cert (PLATEN_TLS_CERT) beside it")
    try:
        certificate = Certificate(tls_cert, tls_key or tls_cert) if tls_cert else None
        check_temporary_folder()
        folder = DataFolder(data)
        with folder.hold() as held, contextlib.closing(LogFile(held.functions_log)) as log_file:
            console = Console(
                as_json=form == "json", shows_traffic=form == "logs", log_file=log_file
            )
            doors = _open(Address(host, port), certificate, console)
            _serve(folder, held, doors, console)
    except (AddressError, BrowserMissingError, CertificateError, UnusableFolderError) as unusable:
        _fail(str(unusable))


class _Doors(NamedTuple):
    """The server, the addresses at which clients reach it, and what speaks TLS for it."""

    server: WsgiServer
    addresses: PublicAddresses
    front: TlsFront | None


def _open(address: Address, certificate: Certificate | None, console: Console) -> _Doors:
    """Take the port; raises AddressError, ends the process where the port cannot be taken.

    With a certificate TLS has this port, and programs of this machine reach the server at another.
    """
    try:
        listener = address.bind() if certificate else None
        server = WsgiServer(address=Address() if listener else address, threads=GATEWAY_THREADS)
    except OSError as error:
        code = error.errno or 0
        reason = os.strerror(code) if code > 0 else error.strerror
        _fail(f"{address.host}, port {address.port}: {reason}; --port takes another one")
    if certificate is None or listener is None:
        front, reached_at = None, server.url
    else:
        front = TlsFront(listener, certificate, server.adopt, console.note)
        reached_at = f"https://{address.url_host}:{listener.getsockname()[1]}"
    addresses = public_addresses(server.url, reached_at)
    server.hosts = address.hosts(addresses.hosts.public)
    return _Doors(server, addresses, front)


def _serve(folder: DataFolder, held: StackFolder, doors: _Doors, console: Console) -> None:
    stack = Stack(held, console, doors.server, doors.addresses)
    maintenance = Maintenance(stack)

    def start_and_show() -> None:
        started = time.monotonic()
        start(stack)
        folder.mark_made()
        if doors.front:
            doors.front.start()
        seconds = time.monotonic() - started
        console.note(f"serving {held.path} at {doors.addresses.api_host}/v1 after {seconds:.1f} s")
        maintenance.start()

    try:
        run_in_foreground(stack, start_and_show, drain_s=DRAIN_S, before_stop=maintenance.stop)
    finally:
        if doors.front:
            doors.front.close()


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(1)
