"""Worker process of PDF tools: loads the libraries once, and forks a confined child per request.

qpdf, pdfium and the picture libraries are C code that parses input of strangers, and none of them
can be interrupted. A process can be limited and killed; forking it takes a fiftieth of the time
that loading the libraries takes. The parent never reads a request.
"""

import gc
import logging
import os
import resource
import select
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from chalicelib.core.json import JsonObject
from chalicelib.engine.pdf.fonts.font_files import FontFiles
from chalicelib.engine.pdf_tools import COMPARISON, TOOLS
from chalicelib.engine.pdf_tools.run.exchange import run_request
from chalicelib.engine.pdf_tools.run.warm_up import warm_up
from chalicelib.engine.sandbox import process_sandbox, wire

_INPUT: Final = 0
_OUTPUT: Final = 1
# A source of 100 MB, its objects, and what is written of them.
_MEMORY_BYTES: Final = 1_500_000_000
# qpdf and pdfium recurse into what documents nest; beyond it the process ends.
_STACK_BYTES: Final = 64_000_000


def main(service_pid: int, fonts_dir: str, ends: int) -> None:
    """Serve requests from the pipe one by one; a broken limit of a child ends this process too.

    A byte goes to the descriptor `ends` when a child has ended: only then comes the next request.
    """
    process_sandbox.die_with(service_pid)
    _raise_stack_limit()
    # It logs each fault of a document. There may be millions.
    logging.getLogger("pikepdf").setLevel(logging.ERROR)
    for tool in (*TOOLS, COMPARISON):
        tool.load()
    fonts = FontFiles(Path(fonts_dir))
    warm_up()
    # The children share these objects; collecting would copy them.
    gc.freeze()
    _fork(_tell_walls, ends)
    requests = select.poll()
    requests.register(_INPUT, select.POLLIN)
    while any(event & select.POLLIN for _, event in requests.poll()):
        _fork(partial(_serve, fonts), ends)


def _raise_stack_limit() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_STACK)
    wanted = _STACK_BYTES if most == resource.RLIM_INFINITY else min(_STACK_BYTES, most)
    resource.setrlimit(resource.RLIMIT_STACK, (wanted, most))


def _fork(work: Callable[[int], None], ends: int) -> None:
    """Run `work` with the id of this process in a child; end as the child did, unless well."""
    parent_pid = os.getpid()
    child = os.fork()
    if child == 0:
        try:
            # A child that was taken over must not tell that it has ended.
            os.close(ends)
            work(parent_pid)
        except BaseException:  # noqa: BLE001 -- nothing of the parent may go on in the child
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        os.kill(os.getpid(), os.WTERMSIG(status))
    if status != 0:
        sys.exit(1)
    os.write(ends, b".")


def _tell_walls(parent_pid: int) -> None:
    missing_walls = process_sandbox.enter_sandbox(parent_pid, _MEMORY_BYTES)
    wire.send({"ready": True, "missing_walls": missing_walls}, _OUTPUT)


def _serve(fonts: Mapping[str, bytes], parent_pid: int) -> None:
    process_sandbox.enter_sandbox(parent_pid, _MEMORY_BYTES)
    request = wire.receive(lambda size: os.read(_INPUT, size))
    if request is not None:
        contents = request.pop("contents", ())
        answer, made = _run(request, contents, fonts)
        wire.send({**answer, "recycle": False}, _OUTPUT, made)


def _run(
    request: JsonObject, contents: Sequence[bytes], fonts: Mapping[str, bytes]
) -> tuple[JsonObject, list[bytes]]:
    try:
        return run_request(request, contents, fonts)
    except MemoryError:
        # The process has unwound what took it; if not even the answer fits, it ends.
        return {"out_of_memory": True}, []
    except Exception as fault:  # noqa: BLE001 -- the service logs it
        # Without the message of the exception, which may quote the document.
        stack = "".join(traceback.format_tb(fault.__traceback__))
        return {"fault": f"{type(fault).__name__}\n{stack}"}, []


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
