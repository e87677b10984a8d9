"""Execution of a call in the engine function."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, assert_never

import msgspec

from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext, RenderedFile
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.delivery.emails import RenderedEmail
from chalicelib.engine.job import EngineJob, LintOutcome, PageJob, PdfToolJob, RenderOutcome
from chalicelib.engine.remote.answer import Result, answer_call
from chalicelib.engine.remote.call_inputs import CallInputs
from chalicelib.engine.remote.calls import (
    AnyCall,
    DryRunJobCall,
    EngineAnswer,
    JobCall,
    LintCall,
    LookUpCall,
    MergeCall,
    ReadCall,
    RunCall,
    SelfTestCall,
    SyntaxCall,
)
from chalicelib.engine.remote.first_page import first_page
from chalicelib.engine.remote.results import (
    DryRunResult,
    EmailsResult,
    LintResult,
    LookUpResult,
    MergeResult,
    ReadResult,
    RunResult,
    SelfTestResult,
)

if TYPE_CHECKING:
    from chalicelib.engine.ports import PresignedObjects
    from chalicelib.engine.sandbox.walls import Walls
    from chalicelib.engine.schemas.check_schemas import CheckSchemas


class Engine(Protocol):
    """Engine that runs jobs and lints them."""

    def run(self, job: EngineJob, context: JobContext) -> RenderOutcome:
        """Make the files of a job; raises RenderFailure."""
        ...

    def lint(self, job: PageJob, context: JobContext, *, compile_only: bool) -> LintOutcome:
        """Run the templates of a job and show its page offline; return failures and warnings.

        With `compile_only` they are compiled, with those that they name, and do not run.
        """
        ...

    def preview_emails(self, job: PageJob, context: JobContext) -> tuple[RenderedEmail, ...]:
        """Run the email rules of a job without drawing; return the emails."""
        ...

    def check_syntax(self, texts: Mapping[str, str], deadline: Deadline) -> list[RenderFailure]:
        """Compile templates, by their names; return their failures with the member `text`."""
        ...

    def look_up(
        self, addresses: Mapping[str, str], deadline: Deadline, *, https_only: Sequence[str]
    ) -> dict[str, str]:
        """Return why addresses are refused, by their names; nothing is sent to them."""
        ...

    def missing_walls(self, deadline: Deadline) -> tuple[str, ...]:
        """Return the names of the walls that processes lack, once each kind has started."""
        ...


class ExecuteCall:
    """Execution of calls, one at a time."""

    def __init__(
        self,
        engine: Engine,
        objects: "PresignedObjects",
        schemas: "Callable[[], CheckSchemas]",
        clock: Clock,
        walls: "Walls",
    ) -> None:
        """Reach the URLs of calls by `objects`; the first job that needs it calls `schemas`."""
        self._engine = engine
        self._objects = objects
        self._inputs = CallInputs(objects=objects, clock=clock, schemas=schemas)
        self._walls = walls

    def __call__(self, call: AnyCall) -> EngineAnswer:
        """Return the answer to a call. An exception is a fault of the engine, not of a document."""
        return answer_call(call, self._objects, lambda: self._result(call))

    def _result(self, call: AnyCall) -> Result:
        match call:
            case ReadCall():
                return self._read(call), []
            case MergeCall():
                return self._merge(call)
            case SelfTestCall():
                deadline = Deadline.after(self._inputs.left_s(call))
                return SelfTestResult(self._engine.missing_walls(deadline)), []
            case JobCall():
                with self._inputs.job(call) as (job, context):
                    assert not isinstance(job, PdfToolJob), "a function of its own runs PDF tools"
                    return self._result_of_job(call, job, context)
            case SyntaxCall():
                deadline = Deadline.after(self._inputs.left_s(call))
                failures = self._engine.check_syntax(call.texts, deadline)
                return LintResult.of(LintOutcome(failures)), []
            case LookUpCall():
                deadline = Deadline.after(self._inputs.left_s(call))
                refusals = self._engine.look_up(
                    call.addresses, deadline, https_only=call.https_only
                )
                return LookUpResult(refusals), []
        assert_never(call)

    def _result_of_job(self, call: JobCall, job: EngineJob, context: JobContext) -> Result:
        if isinstance(call, RunCall):
            return RunResult.of(self._engine.run(job, context))
        if isinstance(call, DryRunJobCall):
            files = self._engine.run(job, context).files
            check_files(files, call)
            return DryRunResult.of(first_page(files) if call.keeps_first_page else None)
        assert isinstance(job, PageJob), "only pages have templates"
        if isinstance(call, LintCall):
            outcome = self._engine.lint(job, context, compile_only=call.compile_only)
            return LintResult.of(outcome), []
        return EmailsResult(self._engine.preview_emails(job, context)), []

    def _read(self, call: ReadCall) -> ReadResult:
        # Imported late: few calls need it (decision 7).
        from chalicelib.engine.conformance.read_received import read_received  # noqa: PLC0415

        document = call.document
        if document is None:
            assert call.document_url is not None, "a call has a document or its address"
            document = self._inputs.get(call.document_url, call)
        if document is None:
            raise RenderFailure("upload_not_found", "The upload is gone.")
        deadline = Deadline.after(self._inputs.left_s(call))
        reading = read_received(document, deadline, self._walls)
        return ReadResult(msgspec.to_builtins(reading))

    def _merge(self, call: MergeCall) -> tuple[MergeResult, Sequence[bytes]]:
        # Imported late: few calls need it (decision 7).
        from chalicelib.engine.combining import merged_pdf  # noqa: PLC0415
        from chalicelib.engine.combining.failure import CombineFailure  # noqa: PLC0415
        from chalicelib.engine.pdf.appending.merge_state import MergeState  # noqa: PLC0415

        state = MergeState()
        if call.state_url is not None:
            content = self._get_existing(call.state_url, call)
            state = msgspec.msgpack.decode(content, type=MergeState)
        parts = []
        try:
            for item in call.items:
                content = self._get_existing(item.url, call)
                parts.append(merged_pdf.append(state, content, item.title, item.index))
            if call.is_last:
                parts.append(merged_pdf.finish(state, test=call.test))
        except CombineFailure as failure:
            return MergeResult(0, (failure.code, failure.detail)), []
        return MergeResult(state.page_count), [b"".join(parts), msgspec.msgpack.encode(state)]

    def _get_existing(self, url: str, call: MergeCall) -> bytes:
        content = self._inputs.get(url, call)
        if content is None:
            # Its caller has just found it: the render was purged meanwhile.
            raise RenderFailure("file_expired", "A file to merge is gone.")
        return content


def check_files(files: Sequence[RenderedFile], call: DryRunJobCall) -> None:
    """Raise `page_limit_exceeded` or `output_too_large` for a file over the limits of a call."""
    for file in files:
        if file.pages is not None and file.pages > call.max_pages:
            message = f"The document has {file.pages} pages; {call.max_pages} are allowed."
            raise RenderFailure("page_limit_exceeded", message)
        if len(file.content) > call.max_bytes:
            message = f"The {file.format} has more than {call.max_bytes} bytes."
            raise RenderFailure("output_too_large", message)
