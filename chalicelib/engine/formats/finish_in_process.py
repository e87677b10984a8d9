"""Finishing that takes long, in a process of its own: it ends when nobody wants the file any more.

Neither qpdf nor the encoders of pictures can be stopped on their way, and qpdf lets no other thread
run meanwhile, so that this process would not even learn that it should stop.
"""

import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline, timeout_failure

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from chalicelib.engine.finishing.finisher import FinishingContext
    from chalicelib.engine.formats.format import RenderFormat
    from chalicelib.engine.job import RenderedFile

_WORKER_MODULE: Final = "chalicelib.engine.formats.finish_worker"
# So long at most goes by unseen that nobody wants the file any more.
_POLL_INTERVAL_S: Final = 0.1
log = logging.getLogger(__name__)


class FinishingError(Exception):
    """An unexpected exception of the other process: its type and frames."""


def finish_file(
    format_: "RenderFormat", content: bytes, finishing: "FinishingContext", deadline: Deadline
) -> "RenderedFile":
    """Make the file of what was drawn, in time.

    Raises RenderFailure as the format's `finish`, `render_timeout` at the deadline, and
    `render_failed` when the other process ends; FinishingError for whatever else is raised there.
    """
    if deadline.has_passed:
        raise timeout_failure()
    if not format_.is_slow(content, finishing):
        return format_.finish(content, finishing)
    # Most files are finished here.
    from multiprocessing.connection import Pipe  # noqa: PLC0415

    ours, theirs = Pipe()
    with ours, theirs:
        try:
            with _worker_process(theirs):
                theirs.close()
                order = format_.name, content, finishing.output, finishing.resources, finishing.test
                course = finishing.recorder
                send(ours, (*order, finishing.invoice_file, course.links, course.page_url))
                return _await_result(ours, finishing, deadline)
        except (EOFError, OSError) as error:
            message = f"the {format_.name} could not be finished: it takes too much memory"
            raise RenderFailure("render_failed", message) from error


def send(channel: "Connection[Any, Any]", message: object) -> None:
    """Send a message to the other process."""
    channel.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(channel: "Connection[Any, Any]") -> Any:
    """Return the next message of the other process, which is ours; raises EOFError at its end."""
    return pickle.loads(channel.recv_bytes())  # noqa: S301


@contextmanager
def _worker_process(connection: "Connection[Any, Any]") -> Iterator[None]:
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
        child.kill()
        child.wait()


def _await_result(
    channel: "Connection[Any, Any]", finishing: "FinishingContext", deadline: Deadline
) -> "RenderedFile":
    while True:
        while not channel.poll(min(_POLL_INTERVAL_S, deadline.remaining_s())):
            if deadline.has_passed:
                raise timeout_failure()
        kind, *parts = receive(channel)
        match kind:
            case "page":
                send(channel, finishing.run_on_fresh_page(parts[0]))
            case "warning":
                finishing.recorder.warn(*parts)
            case "failure":
                code, detail, members = parts
                raise RenderFailure(code, detail, **members)
            case "fault":
                log.error("finishing failed", extra={"exception": parts[0]})
                raise FinishingError(*parts)
            case _:
                return cast("RenderedFile", parts[0])
