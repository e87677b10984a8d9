"""One server in the foreground: it holds a folder, starts the stack over it, and drains it."""

import contextlib
import os
import time
from pathlib import Path
from typing import Final, NamedTuple

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

# Of each of four files.
_LOG_BYTES: Final = 20_000_000
# systemd kills a service after 90 s.
DRAIN_S: Final = 30.0


class RefusedStartError(Exception):
    """The server cannot start; the message says why and what to do."""


class TlsFiles(NamedTuple):
    """Files of the chain of certificates and of its key (PEM)."""

    certificates: Path
    key: Path


def serve_folder(
    data: Path, address: Address, tls: TlsFiles | None, *, shows_traffic: bool, as_json: bool
) -> None:
    """Serve from a folder until a signal comes.

    Raises RefusedStartError where nothing has begun; exits with status 1 after a later fault.
    """
    try:
        certificate = Certificate(*tls) if tls else None
        check_temporary_folder()
        folder = DataFolder(data)
        with folder.hold() as held, contextlib.closing(_log_file(held)) as log_file:
            console = Console(as_json=as_json, shows_traffic=shows_traffic, log_file=log_file)
            _serve(folder, held, _open(address, certificate, console), console)
    except (AddressError, BrowserMissingError, CertificateError, UnusableFolderError) as unusable:
        raise RefusedStartError(str(unusable)) from unusable


class _Doors(NamedTuple):
    """The server, the addresses at which clients reach it, and what speaks TLS for it."""

    server: WsgiServer
    addresses: PublicAddresses
    front: TlsFront | None


def _open(address: Address, certificate: Certificate | None, console: Console) -> _Doors:
    """Take the port; raises AddressError, and RefusedStartError where it cannot be taken.

    With a certificate TLS has this port, and programs of this machine reach the server at another.
    """
    try:
        listener = address.bind() if certificate else None
        server = WsgiServer(address=Address() if listener else address, threads=GATEWAY_THREADS)
    except OSError as error:
        code = error.errno or 0
        reason = os.strerror(code) if code > 0 else error.strerror
        message = f"{address.host}, port {address.port}: {reason}; --port takes another one"
        raise RefusedStartError(message) from error
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


def _log_file(held: StackFolder) -> LogFile:
    # What led to a crash is in the log from before.
    return LogFile(held.functions_log, max_bytes=_LOG_BYTES, is_continued=True)
