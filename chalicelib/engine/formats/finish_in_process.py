"""Finishing of a file, in a separate process where it takes long (decision 19).

qpdf and the picture encoders cannot be interrupted, and qpdf blocks all other threads of its
process, so that this process would not even see a cancellation. It ends the other process instead.
"""

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile, RenderWarning
from chalicelib.engine.deadline import Deadline, timeout_failure

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from pathlib import Path

    from chalicelib.contract.options.output import OutputOptions
    from chalicelib.contract.options.pdf import ContentSource
    from chalicelib.engine.browser.output.page_texts import PageTexts
    from chalicelib.engine.browser.output.paged.running_elements import PageOverlay
    from chalicelib.engine.browser.page.page import BrowserPage
    from chalicelib.engine.finishing.finisher import FinishingContext
    from chalicelib.engine.formats.format import RenderFormat
    from chalicelib.engine.pdf.document.attachments import InvoiceFile

log = logging.getLogger(__name__)

_WORKER_MODULE: Final = "chalicelib.engine.formats.finish_worker"
# The longest time until a cancellation is seen.
_POLL_INTERVAL_S: Final = 0.1


class FinishingRequest(NamedTuple):
    """First message to the other process: the arguments of the format's `finish`."""

    format_name: str
    content: bytes
    output: "OutputOptions"
    resources: "Mapping[ContentSource, bytes]"
    test: bool
    invoice_file: "InvoiceFile | None"
    links: Sequence[tuple[str, str]]
    page_url: str
    page_texts: "PageTexts"
    page_overlay: "PageOverlay | None"
    fonts_dir: "Path | None"


class PageRequest(NamedTuple):
    """Request of the other process for the result of `work` on an empty page."""

    work: "Callable[[BrowserPage], object]"


class FinishingFailure(NamedTuple):
    """Message of the other process: the parts of its RenderFailure."""

    code: str
    detail: str
    members: Mapping[str, object]


class FinishingFault(NamedTuple):
    """Message of the other process: the redacted traceback of any other exception."""

    traceback: str


class FinishingError(Exception):
    """Unexpected exception in the other process; its text is the redacted traceback."""


def finish_file(
    format_: "RenderFormat", content: bytes, finishing: "FinishingContext", deadline: Deadline
) -> "RenderedFile":
    """Make the file of drawn `content`, by the deadline.

    Raises RenderFailure as the format's `finish`, `render_timeout` at the deadline and
    `render_failed` when the other process ends early; FinishingError for any other exception of
    that process.
    """
    if deadline.has_passed:
        raise timeout_failure()
    if not format_.is_slow(content, finishing):
        return format_.finish(content, finishing)
    # Most files are finished above, so few processes need this import.
    from multiprocessing.connection import Pipe  # noqa: PLC0415

    channel, worker_end = Pipe()
    with channel, worker_end:
        try:
            with _worker_process(worker_end):
                # Only the worker holds its end now, so that its death ends the channel.
                worker_end.close()
                send(channel, _finishing_request(format_, content, finishing))
                return _await_result(channel, finishing, deadline)
        except (EOFError, OSError) as error:
            message = f"the {format_.name} could not be finished: it takes too much memory"
            raise RenderFailure("render_failed", message) from error


def send(channel: "Connection[bytes, bytes]", message: object) -> None:
    """Send a message to the other process."""
    channel.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(channel: "Connection[bytes, bytes]") -> object:
    """Return the next message of the other process; raises EOFError at its end.

    Unpickling is safe: both processes are this service's own.
    """
    return pickle.loads(channel.recv_bytes())  # noqa: S301


def _finishing_request(
    format_: "RenderFormat", content: bytes, finishing: "FinishingContext"
) -> FinishingRequest:
    return FinishingRequest(
        format_.name,
        content,
        finishing.output,
        finishing.resources,
        finishing.test,
        finishing.invoice_file,
        finishing.recorder.links,
        finishing.recorder.page_url,
        finishing.recorder.page_texts,
        finishing.recorder.page_overlay,
        finishing.fonts_dir,
    )


@contextmanager
def _worker_process(connection: "Connection[bytes, bytes]") -> Iterator[None]:
    child = subprocess.Popen(
        [sys.executable, "-P", "-S", "-s", "-m", _WORKER_MODULE, str(connection.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        pass_fds=(connection.fileno(),),
    )
    try:
        yield
    finally:
        # The file is complete or unwanted: there is nothing to wait for.
        child.kill()
        child.wait()


def _await_result(
    channel: "Connection[bytes, bytes]", finishing: "FinishingContext", deadline: Deadline
) -> "RenderedFile":
    while True:
        match _next_message(channel, deadline):
            case PageRequest(work):
                send(channel, finishing.run_on_fresh_page(work))
            case RenderWarning(code, message, detail):
                finishing.recorder.warn(code, message, detail)
            case FinishingFailure(code, detail, members):
                failure = RenderFailure(code, detail)
                failure.members.update(members)
                raise failure
            case FinishingFault(traceback):
                log.error("finishing failed", extra={"exception": traceback})
                raise FinishingError(traceback)
            case RenderedFile() as file:
                return file
            case message:
                raise AssertionError(type(message))


def _next_message(channel: "Connection[bytes, bytes]", deadline: Deadline) -> object:
    while not channel.poll(min(_POLL_INTERVAL_S, deadline.remaining_s())):
        if deadline.has_passed:
            raise timeout_failure()
    return receive(channel)
