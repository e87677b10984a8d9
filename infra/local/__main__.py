"""`python -m infra.local`: command line of the local stack."""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from chalicelib.engine.browser.chromium.installation import (
    BrowserMissingError,
    check_temporary_folder,
)
from infra.local import background
from infra.local.console import Console
from infra.local.die_with_parent import die_with_parent
from infra.local.emulators import StackError
from infra.local.examples import DemoError, render_examples, render_invoice
from infra.local.foreground import run_in_foreground
from infra.local.gallery import render_gallery
from infra.local.log_file import LogFile
from infra.local.paths import INSTALL_DIR, StackFolder
from infra.local.public_addresses import AddressError, PublicAddresses, public_addresses
from infra.local.server import Address, WsgiServer
from infra.local.stack import GATEWAY_THREADS, Stack, start

PORT: Final = 8700


@click.group()
def main() -> None:
    """Run the whole stack on this machine."""


@main.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    default=PORT,
    show_default=True,
    help="0 takes a free one.",
)
@click.option("--logs", "form", flag_value="logs", help="A line per request and invocation.")
@click.option("--json", "form", flag_value="json", help="The same, one JSON object per line.")
@click.option("--dir", "path", type=click.Path(path_type=Path), default=INSTALL_DIR)
@click.option("--background", "detached", is_flag=True, help="Return when it serves.")
@click.option("--render", "out", type=click.Path(path_type=Path), help="Render the invoice here.")
@click.option("--tied", is_flag=True, help="Stop when the process that started this one ends.")
def up(
    *, port: int, form: str | None, path: Path, detached: bool, out: Path | None, tied: bool
) -> None:
    """Start the stack and serve until Ctrl-C."""
    if tied:
        die_with_parent(os.getppid(), signal.SIGTERM)
    try:
        check_temporary_folder()
    except BrowserMissingError as unusable:
        _fail(str(unusable))
    folder = StackFolder(path.resolve())
    if run_info := background.find_running_stack(folder):
        _fail(f"a stack already serves at {run_info['base_url']} (process {run_info['pid']})")
    if detached:
        try:
            run_info = background.start(folder, port, as_json=form == "json")
        except StackError as error:
            _fail(str(error))
        click.echo(f"serving at {run_info['base_url']}, keys in {folder.run_file}")
        return
    try:
        held = folder.hold()
    except BlockingIOError:
        _fail(
            f"another stack starts, serves or stops in {folder.path}: wait, or take another --dir"
        )
    with held, contextlib.closing(LogFile(folder.functions_log)) as log_file:
        console = Console(as_json=form == "json", shows_traffic=form == "logs", log_file=log_file)
        _serve(folder, port, console, out)


@main.command()
@click.option("--dir", "path", type=click.Path(path_type=Path), default=INSTALL_DIR)
def down(path: Path) -> None:
    """Stop the stack that `up` started."""
    stopped = background.stop(StackFolder(path.resolve()))
    click.echo("stopped" if stopped else "nothing is running")


@main.command(name="demo")
@click.option("--dir", "path", type=click.Path(path_type=Path), default=INSTALL_DIR)
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("out"))
def render(*, path: Path, port: int, out: Path) -> None:
    """Render the examples through the stack that runs, or through one for the moment."""
    with _running_or_started(StackFolder(path.resolve()), port) as run_info:
        for line in render_examples(run_info, out):
            click.echo(line)


@main.command()
@click.option("--dir", "path", type=click.Path(path_type=Path), default=INSTALL_DIR)
@click.option("--port", type=click.IntRange(0, 65_535), default=PORT, show_default=True)
@click.option("--out", type=click.Path(path_type=Path), default=Path("out/gallery"))
def gallery(*, path: Path, port: int, out: Path) -> None:
    """Render the examples with pictures, through the stack that runs or one for the moment."""
    with _running_or_started(StackFolder(path.resolve()), port) as run_info:
        for line in render_gallery(run_info, out):
            click.echo(line)


@contextlib.contextmanager
def _running_or_started(folder: StackFolder, port: int) -> Iterator[Mapping[str, Any]]:
    """Give the run file of the folder's stack; a stack that this starts is stopped again."""
    running = background.find_running_stack(folder)
    try:
        yield running or background.start(folder, port)
    except (DemoError, StackError) as error:
        _fail(str(error))
    finally:
        if running is None:
            background.stop(folder)


def _serve(folder: StackFolder, port: int, console: Console, out: Path | None) -> None:
    server, addresses = _bind(port)
    stack = Stack(folder, console, server, addresses)

    def start_and_show() -> None:
        _start_stack(stack)
        if out is not None:
            # The host of the public URL may be reached through a proxy that is not there yet.
            own_url = {"base_url": f"{server.url}/v1", "own_url": server.url}
            for line in render_invoice({**(folder.run_info() or {}), **own_url}, out):
                click.echo(line)
        _show_doors(stack, out)

    run_in_foreground(stack, start_and_show)


def _bind(port: int) -> tuple[WsgiServer, PublicAddresses]:
    """Take the port, and read at which addresses clients reach it; end the process if it fails."""
    try:
        server = WsgiServer(address=Address(port=port), threads=GATEWAY_THREADS)
    except OSError as error:
        _fail(f"port {port}: {error.strerror}; `make run PORT=8701` takes another one")
    try:
        addresses = public_addresses(server.url)
    except AddressError as error:
        _fail(str(error))
    server.hosts = addresses.hosts
    return server, addresses


def _start_stack(stack: Stack) -> None:
    started = time.monotonic()
    stack.console.note("starting; nothing that this stack holds is kept when it stops")
    start(stack)
    run_info = stack.folder.run_info() or {}
    seconds = time.monotonic() - started
    stack.console.note(f"serving {run_info['base_url']} after {seconds:.1f} s")


def _show_doors(stack: Stack, rendered: Path | None) -> None:
    """Say what to open and what to try next."""
    run_info = stack.folder.run_info() or {}
    rows = {
        "reference": f"{stack.gateway.url}/docs",
        "guides": f"{stack.gateway.url}/guides",
        # The fragment stays in the browser, which forgets it at once.
        "console": f"{stack.gateway.url}/console#key={run_info['test_key']}",
        "workspace": run_info["workspace"],
        "test key": run_info["test_key"],
        "live key": run_info["live_key"],
        "both, in": str(stack.folder.run_file),
    }
    if rendered is not None:
        rows["rendered"] = str(rendered / "invoice.pdf")
    rows["next"] = 'the first request of README.md, "The first document"; Ctrl-C stops'
    stack.console.note("\n".join(f"  {name:<10} {value}" for name, value in rows.items()))


def _fail(message: str) -> NoReturn:
    click.echo(message, err=True)
    sys.exit(1)


if __name__ == "__main__":
    main()
