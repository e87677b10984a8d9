"""The process in which a file is finished that takes long; see apart.py.

It is told what to make through the descriptor that its only argument names, asks back for what only
the browser can print, and ends when its owner does.
"""

import ctypes
import resource
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, Final, override

from chalicelib.core.errors import RenderFailure
from chalicelib.core.tracebacks import redacted_traceback
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats import format_by_name
from chalicelib.engine.formats.finish_in_process import receive, send
from chalicelib.engine.render_trace import TraceRecorder

_PR_SET_PDEATHSIG: Final = 1


class _ForwardingRecorder(TraceRecorder):
    """A course whose warnings go to the owner."""

    def __init__(self, channel: "Connection[Any, Any]") -> None:
        super().__init__()
        self._channel = channel

    @override
    def warn(self, code: str, message: str, detail: str | None = None) -> None:
        send(self._channel, ("warning", code, message, detail))


def main(channel: "Connection[Any, Any]") -> None:
    """Finish one file."""
    name, content, output, resources, test, invoice, links, address = receive(channel)

    def fresh_page[Result](work: Callable[[BrowserPage], Result]) -> Result:
        send(channel, ("page", work))
        result: Result = receive(channel)
        return result

    course = _ForwardingRecorder(channel)
    course.links, course.page_url = links, address
    finishing = FinishingContext(output, resources, test, course, fresh_page, invoice)
    try:
        produced = format_by_name(name).finish(content, finishing)
    except RenderFailure as failure:
        send(channel, ("failure", failure.code, failure.detail, failure.members))
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 -- the owner raises it
        send(channel, ("fault", redacted_traceback(fault)))
    else:
        send(channel, ("produced", produced))


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Connection(int(sys.argv[1])) as owner:
        main(owner)
