"""Reading of a received document in a sandboxed process."""

import base64
import time
from contextlib import closing
from typing import TYPE_CHECKING, Final, cast

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from chalicelib.engine.sandbox.walls import Walls

if TYPE_CHECKING:
    from chalicelib.engine.conformance.read_received_worker import DocumentReading, RefusedDocument

_WORKER_MODULE: Final = "chalicelib.engine.conformance.read_received_worker"


def read_received(
    content: bytes, deadline: Deadline, walls: Walls | None = None
) -> "DocumentReading":
    """Read an XML or a PDF in a process of its own.

    Raises RenderFailure: `render_timeout`, or the code of an unreadable document.
    """
    request = {"content": base64.b64encode(content).decode()}
    with closing(SandboxedWorker(_WORKER_MODULE, "Reading the document", walls=walls)) as reader:
        try:
            answer = reader.call(request, time.time() + deadline.remaining_s())
        except RenderFailure as failure:
            if failure.code == "render_timeout":
                raise
            # Every other failure means that the worker broke a limit or crashed.
            detail = "takes too much time or memory to be read"
            raise RenderFailure("validation_error", detail) from failure
    # The worker is a module of this package: it answers with what `read_document` returns.
    reading = cast("DocumentReading | RefusedDocument", answer)
    if "refusal" in reading:
        raise RenderFailure(**reading["refusal"])
    return reading
