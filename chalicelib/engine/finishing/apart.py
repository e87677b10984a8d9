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
from chalicelib.engine.deadline import Deadline, out_of_time

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from chalicelib.engine.formats.format import Finishing, Format
    from chalicelib.engine.job import Produced

_CHILD: Final = "chalicelib.engine.finishing.child"
# So long at most goes by unseen that nobody wants the file any more.
_LOOK_S: Final = 0.1
log = logging.getLogger(__name__)


class FinishingError(Exception):
    """An unexpected exception of the other process: its type and frames."""


def finished(
    format_: "Format", content: bytes, finishing: "Finishing", deadline: Deadline
) -> "Produced":
    """Make the file of what was drawn, in time.

    Raises RenderFailure as the format's `finish`, `render_timeout` at the deadline, and
    `render_failed` when the other process ends; FinishingError for whatever else is raised there.
    """
    if deadline.passed:
        raise out_of_time()
    if not format_.lengthy(content, finishing):
        return format_.finish(content, finishing)
    # Most files are finished here.
    from multiprocessing.connection import Pipe  # noqa: PLC0415

    ours, theirs = Pipe()
    with ours, theirs:
        try:
            with _started(theirs):
                theirs.close()
                order = format_.name, content, finishing.output, finishing.resources, finishing.test
                course = finishing.course
                send(ours, (*order, finishing.invoice, course.links, course.address))
                return _answer(ours, finishing, deadline)
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
def _started(end: "Connection[Any, Any]") -> Iterator[None]:
    child = subprocess.Popen(
        [sys.executable, "-P", "-S", "-s", "-m", _CHILD, str(end.fileno())],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        pass_fds=(end.fileno(),),
    )
    try:
        yield
    finally:
        child.kill()
        child.wait()


def _answer(
    channel: "Connection[Any, Any]", finishing: "Finishing", deadline: Deadline
) -> "Produced":
    while True:
        while not channel.poll(min(_LOOK_S, deadline.remaining_s())):
            if deadline.passed:
                raise out_of_time()
        kind, *parts = receive(channel)
        match kind:
            case "page":
                send(channel, finishing.fresh_page(parts[0]))
            case "warning":
                finishing.course.warn(*parts)
            case "failure":
                code, detail, members = parts
                raise RenderFailure(code, detail, **members)
            case "fault":
                log.error("finishing failed", extra={"exception": parts[0]})
                raise FinishingError(*parts)
            case _:
                return cast("Produced", parts[0])
