"""Execution of calls in the function of PDF tools, which has no rights."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from chalicelib.core.clock import Clock
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import PdfToolJob, RenderOutcome
from chalicelib.engine.remote.answer import Result, answer_call
from chalicelib.engine.remote.call_inputs import CallInputs
from chalicelib.engine.remote.calls import EngineAnswer, RunCall
from chalicelib.engine.remote.results import RunResult

if TYPE_CHECKING:
    from chalicelib.engine.ports import PresignedObjects


class ExecuteToolCall:
    """Execution of calls, one at a time."""

    def __init__(
        self,
        run: Callable[[PdfToolJob, JobContext], RenderOutcome],
        objects: "PresignedObjects",
        clock: Clock,
    ) -> None:
        """Make the files of a job by `run`; reach the presigned URLs of calls by `objects`."""
        self._run = run
        self._objects = objects
        self._inputs = CallInputs(objects=objects, clock=clock)

    def __call__(self, call: RunCall) -> EngineAnswer:
        """Return the answer to a call. An exception is a fault of the function."""
        return answer_call(call, self._objects, lambda: self._result(call))

    def _result(self, call: RunCall) -> Result:
        with self._inputs.job(call) as (job, context):
            assert isinstance(job, PdfToolJob), "this function runs PDF tools only"
            return RunResult.of(self._run(job, context))
