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
from chalicelib.core.traces import trace_of
from chalicelib.engine.browser.page import Page
from chalicelib.engine.course import Course
from chalicelib.engine.finishing.apart import receive, send
from chalicelib.engine.formats import format_named
from chalicelib.engine.formats.format import Finishing

_PR_SET_PDEATHSIG: Final = 1


class _Telling(Course):
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

    def fresh_page[Result](work: Callable[[Page], Result]) -> Result:
        send(channel, ("page", work))
        result: Result = receive(channel)
        return result

    course = _Telling(channel)
    course.links, course.address = links, address
    finishing = Finishing(output, resources, test, course, fresh_page, invoice)
    try:
        produced = format_named(name).finish(content, finishing)
    except RenderFailure as failure:
        send(channel, ("failure", failure.code, failure.detail, failure.members))
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 -- the owner raises it
        send(channel, ("fault", trace_of(fault)))
    else:
        send(channel, ("produced", produced))


if __name__ == "__main__":
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Connection(int(sys.argv[1])) as owner:
        main(owner)
