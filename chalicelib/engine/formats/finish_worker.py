"""Process that finishes one slow file; see finish_file.py.

It reads its request from its input, asks back for pages that only the browser can print, and ends
when its owner ends.
"""

import os
import resource
import select
import sys
import threading
from collections.abc import Sequence
from typing import Final, override

import msgspec

from chalicelib.core.errors import RenderFailure
from chalicelib.core.tracebacks import redacted_traceback
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.finishing.separate_prints import SeparatePrint
from chalicelib.engine.formats import format_by_name
from chalicelib.engine.formats.finish_messages import (
    FinishedFile,
    FinishingFault,
    FinishingRequest,
    FinishingWarning,
    PrintRequest,
    to_json,
)
from chalicelib.engine.render_trace import TraceRecorder
from chalicelib.engine.sandbox import process_sandbox, wire

_INPUT: Final = 0
_OUTPUT: Final = 1
_ERRORS: Final = 2


class _Owner(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Owner of this process, at the other end of its pipes."""

    output: int

    def send(self, message: msgspec.Struct, contents: Sequence[bytes] = ()) -> None:
        """Send a message."""
        wire.send(to_json(message), self.output, contents)

    def request(self) -> tuple[FinishingRequest, bytes, list[bytes]]:
        """Return the request, the drawn content and the other contents."""
        received = _receive()
        content, *contents = received["contents"]
        return msgspec.convert(received, FinishingRequest), content, contents

    def print_separately(self, part: SeparatePrint) -> list[bytes]:
        """Return the PDFs of a part, which the owner's browser prints."""
        self.send(PrintRequest(part))
        # None, where no page has a header or footer.
        return _receive().get("contents", [])


class _ForwardingRecorder(TraceRecorder):
    """Trace recorder that sends warnings to the owner."""

    def __init__(self, owner: _Owner) -> None:
        super().__init__()
        self._owner = owner

    @override
    def warn(self, code: str, message: str, detail: str | None = None) -> None:
        self._owner.send(FinishingWarning(code, message, detail))


def main(owner: _Owner) -> None:
    """Finish one file."""
    request, content, contents = owner.request()
    finishing = request.context(contents, _ForwardingRecorder(owner), owner.print_separately)
    try:
        file = format_by_name(request.format_name).finish(content, finishing)
    except RenderFailure as failure:
        owner.send(FailureRecord.of(failure))
    # The process ends, and its owner raises `render_failed`.
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 -- the owner raises it
        owner.send(FinishingFault(redacted_traceback(fault)))
    else:
        owner.send(FinishedFile(file._replace(content=b"")), [file.content])


def _receive() -> dict[str, list[bytes]]:
    """Return the next message with contents; raises SystemExit when the owner is gone."""
    received: dict[str, list[bytes]] | None = wire.receive(lambda size: os.read(_INPUT, size))
    if received is None:
        raise SystemExit
    return received


def _die_with_owner() -> None:
    """End this process when the other end of its input is closed."""
    hang_up = select.poll()
    hang_up.register(_INPUT, 0)
    hang_up.poll()
    os._exit(1)


if __name__ == "__main__":
    # The kernel kills this process when its owner dies. No core dump: it would hold the document.
    if not process_sandbox.die_with(int(sys.argv[1])):
        threading.Thread(target=_die_with_owner, daemon=True).start()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # What a library prints is no message.
    messages_to_owner = os.dup(_OUTPUT)
    os.dup2(_ERRORS, _OUTPUT)
    for descriptor in (_INPUT, messages_to_owner):
        wire.enlarge(descriptor)
    main(_Owner(output=messages_to_owner))
