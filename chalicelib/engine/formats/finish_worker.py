"""Process that finishes one slow file; see finish_in_process.py.

It gets its request through the file descriptor that is its only argument, asks back for pages that
only the browser can print, and ends when its owner ends.
"""

import ctypes
import os
import resource
import select
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Final, cast, override

from chalicelib.core.errors import RenderFailure
from chalicelib.core.tracebacks import redacted_traceback
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.formats import format_by_name
from chalicelib.engine.formats.finish_in_process import (
    FinishingFailure,
    FinishingFault,
    FinishingRequest,
    PageRequest,
    receive,
    send,
)
from chalicelib.engine.render_trace import TraceRecorder

_PR_SET_PDEATHSIG: Final = 1


class _ForwardingRecorder(TraceRecorder):
    """Trace recorder that sends warnings to the owner."""

    def __init__(self, channel: "Connection[bytes, bytes]") -> None:
        super().__init__()
        self._channel = channel

    @override
    def warn(self, code: str, message: str, detail: str | None = None) -> None:
        send(self._channel, RenderWarning(code, message, detail))


def main(channel: "Connection[bytes, bytes]") -> None:
    """Finish one file."""
    request = receive(channel)
    assert isinstance(request, FinishingRequest)

    def run_on_fresh_page[Result](work: Callable[[BrowserPage], Result]) -> Result:
        send(channel, PageRequest(work))
        # The owner answers with the result of `work`.
        return cast("Result", receive(channel))

    recorder = _ForwardingRecorder(channel)
    recorder.links, recorder.page_url = request.links, request.page_url
    recorder.page_texts = request.page_texts
    recorder.page_overlay = request.page_overlay
    finishing = FinishingContext(
        request.output,
        request.resources,
        request.test,
        recorder,
        run_on_fresh_page,
        request.invoice_file,
        fonts_dir=request.fonts_dir,
    )
    try:
        file = format_by_name(request.format_name).finish(request.content, finishing)
    except RenderFailure as failure:
        send(channel, FinishingFailure(failure.code, failure.detail, failure.members))
    # The process ends, and its owner raises `render_failed`.
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 -- the owner raises it
        send(channel, FinishingFault(redacted_traceback(fault)))
    else:
        send(channel, file)


def _die_with_owner(channel: int) -> None:
    """End this process when the other end of its channel is closed."""
    hang_up = select.poll()
    hang_up.register(channel, 0)
    hang_up.poll()
    os._exit(1)


if __name__ == "__main__":
    # The kernel kills this process when its owner dies. No core dump: it would hold the document.
    if ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        threading.Thread(target=_die_with_owner, args=(int(sys.argv[1]),), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with Connection(int(sys.argv[1])) as owner:
        main(owner)
