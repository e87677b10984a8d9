"""Finishing of a file, in a separate process where it takes long (decision 19).

qpdf and the picture encoders cannot be interrupted, and qpdf blocks all other threads of its
process, so that this process would not even see a cancellation. It ends the other process instead.
"""

import logging
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.deadline import Deadline, timeout_failure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from chalicelib.engine.finishing.finisher import FinishingContext
    from chalicelib.engine.formats.format import RenderFormat
    from chalicelib.engine.sandbox.child_process import ChildProcess

log = logging.getLogger(__name__)

_WORKER_MODULE: Final = "chalicelib.engine.formats.finish_worker"


class FinishingError(Exception):
    """Unexpected exception in the other process; its text is the redacted traceback."""


def finish_file(
    format_: "RenderFormat", content: bytes, finishing: "FinishingContext", deadline: Deadline
) -> RenderedFile:
    """Make the file of drawn `content`, by the deadline.

    Raises RenderFailure as the format's `finish`, `render_timeout` at the deadline and
    `render_failed` when the other process ends early; FinishingError for any other exception of
    that process, and for an answer that it cannot give.
    """
    if deadline.has_passed:
        raise timeout_failure()
    if not format_.is_slow(content, finishing):
        return format_.finish(content, finishing)
    # Most files are finished above, so few processes need these imports.
    from chalicelib.engine.formats.finish_messages import FinishingRequest, to_json  # noqa: PLC0415
    from chalicelib.engine.sandbox import wire  # noqa: PLC0415
    from chalicelib.engine.sandbox.child_process import ChildProcess  # noqa: PLC0415

    request, contents = FinishingRequest.of(format_.name, finishing)
    contents.insert(0, content)
    try:
        child = ChildProcess(_WORKER_MODULE, {}, ())
        try:
            parts = [wire.pack(to_json(request), contents), *contents]
            return _await_file(child, parts, finishing, deadline)
        finally:
            # The file is complete or unwanted: there is nothing to wait for.
            child.stop()
    except TimeoutError as error:
        raise timeout_failure() from error
    except (EOFError, OSError) as error:
        message = f"the {format_.name} could not be finished: it takes too much memory"
        raise RenderFailure("render_failed", message) from error
    except msgspec.ValidationError as error:
        raise FinishingError("the process that finishes files sent a strange message") from error


def _await_file(
    child: "ChildProcess",
    request: "Sequence[bytes]",
    finishing: "FinishingContext",
    deadline: Deadline,
) -> RenderedFile:
    from chalicelib.engine.formats import finish_messages as messages  # noqa: PLC0415 -- as above
    from chalicelib.engine.sandbox import wire  # noqa: PLC0415 -- as above

    def remaining_ms() -> float:
        return deadline.remaining_s() * 1000

    while True:
        received = child.call(request, remaining_ms)
        request = ()
        match messages.worker_message(received):
            case messages.PrintRequest(part):
                printed = finishing.print_separately(part)
                request = (wire.pack({}, printed), *printed)
            case messages.FinishingWarning(code, message, detail):
                finishing.recorder.warn(code, message, detail)
            case messages.FinishingFault(traceback):
                log.error("finishing failed", extra={"exception": traceback})
                raise FinishingError(traceback)
            case messages.FinishedFile(file):
                return file._replace(content=_only_content(received))
            case failed:
                raise failed.failure()


def _only_content(received: "Mapping[str, object]") -> bytes:
    match received.get("contents"):
        case [bytes() as content]:
            return content
        case _:
            raise EOFError
