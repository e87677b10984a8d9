"""Worker process of one tool: loads the libraries, enters the sandbox, runs one request.

qpdf, pdfium and the picture libraries are C code that parses input of strangers, and none of them
can be interrupted. A process can be limited and killed.
"""

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final

from chalicelib.core.json import JsonObject
from chalicelib.engine.pdf_tools import TOOLS
from chalicelib.engine.pdf_tools.run.exchange import run_request
from chalicelib.engine.pdf_tools.run.warm_up import warm_up
from chalicelib.engine.templating import process_sandbox, wire

_INPUT: Final = 0
_OUTPUT: Final = 1
# A source of 100 MB, its objects, and what is written of them.
_MEMORY_BYTES: Final = 1_500_000_000
_MAX_FAULT_CHARACTERS: Final = 4_000


def main(parent_pid: int) -> None:
    """Run one request from the pipe and send the answer; a broken limit ends the process."""
    for tool in TOOLS:
        tool.load()
    warm_up()
    missing_walls = process_sandbox.enter_sandbox(parent_pid, _MEMORY_BYTES)
    wire.send({"ready": True, "missing_walls": missing_walls}, _OUTPUT)
    request = wire.receive(lambda size: os.read(_INPUT, size))
    if request is not None:
        contents = request.pop("contents", ())
        answer, made = _run(request, contents)
        # The next request gets a process that no document has touched.
        wire.send({**answer, "recycle": True}, _OUTPUT, made)


def _run(request: JsonObject, contents: Sequence[bytes]) -> tuple[JsonObject, list[bytes]]:
    try:
        return run_request(request, contents)
    except MemoryError:
        raise
    except Exception as fault:  # noqa: BLE001 -- the service logs it
        # Without the message of the exception, which may quote the document.
        stack = "".join(traceback.format_tb(fault.__traceback__))
        return {"fault": f"{type(fault).__name__}\n{stack}"[-_MAX_FAULT_CHARACTERS:]}, []


if __name__ == "__main__":
    main(int(sys.argv[1]))
