"""Answer of a function without rights: its result in the answer, or in a stored object."""

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.remote.calls import (
    MAX_INLINE_RESULT_BYTES,
    MAX_RETURNED_BYTES,
    EngineAnswer,
    EngineCall,
    ReadCall,
    StoredResult,
)
from chalicelib.engine.remote.results import AnyResult, encode_result

if TYPE_CHECKING:
    from chalicelib.engine.ports import PresignedObjects

type Result = tuple[AnyResult, Sequence[bytes]]

# The result is stored after the deadline of the job, too.
_STORE_S: Final = 20.0


def answer_call(
    call: EngineCall, objects: "PresignedObjects", make: Callable[[], Result]
) -> EngineAnswer:
    """Return the answer to a call with the result that `make` makes.

    A RenderFailure is a result; any other exception is a fault of the function, not of a document.
    """
    crash_if_armed(CrashPoint.ENGINE_BEGUN)
    try:
        result, contents = make()
    except RenderFailure as failure:
        result, contents = FailureRecord.of(failure), []
    crash_if_armed(CrashPoint.ENGINE_MADE)
    content = encode_result(result, contents)
    # They may be large; the request that stores the result takes as much once more.
    del result, contents
    if len(content) <= MAX_INLINE_RESULT_BYTES:
        return EngineAnswer(content)
    if call.result_form is None:
        return EngineAnswer(encode_result(_too_large(call, len(content))))
    objects.post(call.result_form, content, timeout_s=_STORE_S)
    crash_if_armed(CrashPoint.ENGINE_STORED)
    digest = hashlib.sha256(content).hexdigest()
    return EngineAnswer(None, StoredResult(len(content), digest))


def _too_large(call: EngineCall, size: int) -> FailureRecord:
    """Return the failure of a result that may be stored nowhere."""
    if isinstance(call, ReadCall):
        message = "What the document holds is too large for an answer; send it as an upload."
        return FailureRecord("validation_error", message)
    allowed = f"with retention none {MAX_RETURNED_BYTES} are allowed"
    message = f"The files have {size} bytes together; {allowed}."
    return FailureRecord("output_too_large", message)
