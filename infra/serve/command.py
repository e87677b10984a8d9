"""`platen serve`: the service in the foreground, over a folder that keeps everything."""

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Final, NoReturn

import click

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

PORT: Final = 8700
# An upload has 200 MB at most; the API takes no such bodies, but says so itself.
_BODIES: Final = Bodies(max_bytes=256 << 20, spool_bytes=1 << 20)
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
@click.option("--logs", "form", flag_value="logs", help="A line per request and invocation.")
@click.option("--json", "form", flag_value="json", help="The same, one JSON object per line.")
def serve(*, data: Path, port: int, host: str, form: str | None) -> None:
    """Serve from a folder that keeps everything, until a signal comes."""
    try:
        check_temporary_folder()
        folder = DataFolder(data)
        with folder.hold() as held, contextlib.closing(LogFile(held.functions_log)) as log_file:
            console = Console(
                as_json=form == "json", shows_traffic=form == "logs", log_file=log_file
            )
            _serve(folder, held, Address(host, port), console)
    except (BrowserMissingError, UnusableFolderError) as unusable:
        _fail(str(unusable))


def _serve(folder: DataFolder, held: StackFolder, address: Address, console: Console) -> None:
    try:
        server = WsgiServer(address=address, threads=GATEWAY_THREADS, bodies=_BODIES)
    except OSError as error:
        code = error.errno or 0
        reason = os.strerror(code) if code > 0 else error.strerror
        _fail(f"{address.host}, port {address.port}: {reason}; --port takes another one")
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


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(1)
