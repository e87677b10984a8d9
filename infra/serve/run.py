"""One server in the foreground: it holds a folder, starts the stack over it, and drains it."""

import contextlib
import os
import time
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.chromium.installation import (
    BrowserMissingError,
    check_temporary_folder,
)
from infra.local.console import Console
from infra.local.foreground import run_in_foreground
from infra.local.log_file import LogFile
from infra.local.paths import StackFolder
from infra.local.server import Address, Bodies, WsgiServer
from infra.local.stack import GATEWAY_THREADS, Stack, start
from infra.serve.data_folder import DataFolder, UnusableFolderError
from infra.serve.maintenance import Maintenance

# An upload has 200 MB at most; the API takes no such bodies, but says so itself.
_BODIES: Final = Bodies(max_bytes=256 << 20, spool_bytes=1 << 20)
# Of each of four files.
_LOG_BYTES: Final = 20_000_000
# systemd kills a service after 90 s.
DRAIN_S: Final = 30.0


class RefusedStartError(Exception):
    """The server cannot start; the message says why and what to do."""


def serve_folder(data: Path, address: Address, *, shows_traffic: bool, as_json: bool) -> None:
    """Serve from a folder until a signal comes.

    Raises RefusedStartError where nothing has begun; exits with status 1 after a later fault.
    """
    folder = DataFolder(data)
    try:
        check_temporary_folder()
        with folder.hold() as held, contextlib.closing(_log_file(held)) as log_file:
            console = Console(as_json=as_json, shows_traffic=shows_traffic, log_file=log_file)
            _serve(folder, held, address, console)
    except (BrowserMissingError, UnusableFolderError) as unusable:
        raise RefusedStartError(str(unusable)) from unusable


def _serve(folder: DataFolder, held: StackFolder, address: Address, console: Console) -> None:
    try:
        server = WsgiServer(address=address, threads=GATEWAY_THREADS, bodies=_BODIES)
    except OSError as error:
        code = error.errno or 0
        reason = os.strerror(code) if code > 0 else error.strerror
        message = f"{address.host}, port {address.port}: {reason}; --port takes another one"
        raise RefusedStartError(message) from error
    stack = Stack(held, console, server)
    maintenance = Maintenance(stack)

    def start_and_show() -> None:
        started = time.monotonic()
        start(stack)
        folder.mark_made()
        seconds = time.monotonic() - started
        console.note(f"serving {held.path} at {server.url} after {seconds:.1f} s")

        maintenance.start()

    run_in_foreground(stack, start_and_show, drain_s=DRAIN_S, before_stop=maintenance.stop)


def _log_file(held: StackFolder) -> LogFile:
    # What led to a crash is in the log from before.
    return LogFile(held.functions_log, max_bytes=_LOG_BYTES, is_continued=True)
