"""Execution of a call in the engine function."""

import hashlib
import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Final, Protocol, assert_never

import msgspec

from chalicelib.core import json
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.emails.model import RenderedEmail
from chalicelib.engine.job import Job, JobContext, PageJob, RenderOutcome
from chalicelib.engine.ports import DestinationUnreachableError
from chalicelib.engine.remote.calls import (
    MAX_INLINE_RESULT_BYTES,
    AnyCall,
    DryRunJobCall,
    EngineAnswer,
    JobCall,
    LintCall,
    MergeCall,
    ReadCall,
    RunCall,
    SelfTestCall,
    StoredResult,
    SyntaxCall,
)
from chalicelib.engine.remote.results import (
    AnyResult,
    DryRunResult,
    EmailsResult,
    FailureRecord,
    LintResult,
    MergeResult,
    ReadResult,
    RunResult,
    SelfTestResult,
    encode_result,
)

if TYPE_CHECKING:
    from chalicelib.engine.ports import PresignedObjects
    from chalicelib.engine.schemas.check_schemas import CheckSchemas
    from chalicelib.engine.walls import Walls

type _Result = tuple[AnyResult, Sequence[bytes]]

log = logging.getLogger(__name__)

_MAX_JOB_BYTES: Final = 120_000_000
_MAX_UPLOAD_BYTES: Final = 120_000_000
# Most jobs end before the first look, so they cost no request.
FIRST_LOOK_S: Final = 1.0
NEXT_LOOK_S: Final = 0.5
_LOOK_TIMEOUT_S: Final = 3.0
_MAX_STOP_BYTES: Final = 1_000
# The result is stored after the deadline of the job, too.
_STORE_S: Final = 20.0


class Engine(Protocol):
    """Engine that runs jobs and lints them."""

    def run(self, job: Job, context: JobContext) -> RenderOutcome:
        """Make the files of a job; raises RenderFailure."""
        ...

    def lint(self, job: PageJob, context: JobContext) -> list[RenderFailure]:
        """Run the templates of a job without drawing; return their failures."""
        ...

    def preview_emails(self, job: PageJob, context: JobContext) -> tuple[RenderedEmail, ...]:
        """Run the email rules of a job without drawing; return the emails."""
        ...

    def check_syntax(self, texts: Mapping[str, str], deadline: Deadline) -> list[RenderFailure]:
        """Compile templates, by their names; return their failures with the member `text`."""
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
        """Reach what calls bring by `objects`; `schemas` is asked when the first job needs it."""
        self._engine = engine
        self._objects = objects
        self._schemas = schemas
        self._clock = clock
        self._walls = walls

    def __call__(self, call: AnyCall) -> EngineAnswer:
        """Return the answer to a call. An exception is a fault of the engine, not of a document."""
        crash_if_armed(CrashPoint.ENGINE_BEGUN)
        try:
            result, contents = self._result(call)
        except RenderFailure as failure:
            result, contents = FailureRecord.of(failure), []
        crash_if_armed(CrashPoint.ENGINE_MADE)
        content = encode_result(result, contents)
        if len(content) <= MAX_INLINE_RESULT_BYTES:
            return EngineAnswer(content)
        if call.result_form is None:
            return EngineAnswer(encode_result(_too_large(call, len(content))))
        self._objects.post(call.result_form, content, timeout_s=_STORE_S)
        crash_if_armed(CrashPoint.ENGINE_STORED)
        digest = hashlib.sha256(content).hexdigest()
        return EngineAnswer(None, StoredResult(len(content), digest))

    def _result(self, call: AnyCall) -> _Result:
        match call:
            case ReadCall():
                return self._read(call), []
            case MergeCall():
                return self._merge(call)
            case SelfTestCall():
                deadline = Deadline.after(self._left_s(call))
                return SelfTestResult(self._engine.missing_walls(deadline)), []
            case JobCall():
                with self._job(call) as (job, context):
                    return self._result_of_job(call, job, context)
            case SyntaxCall():
                deadline = Deadline.after(self._left_s(call))
                return LintResult.of(self._engine.check_syntax(call.texts, deadline)), []
        assert_never(call)

    def _result_of_job(self, call: JobCall, job: Job, context: JobContext) -> _Result:
        if isinstance(call, RunCall):
            return RunResult.of(self._engine.run(job, context))
        if isinstance(call, DryRunJobCall):
            check_outcome(self._engine.run(job, context), call)
            return DryRunResult(), []
        assert isinstance(job, PageJob), "only pages have templates"
        if isinstance(call, LintCall):
            return LintResult.of(self._engine.lint(job, context)), []
        return EmailsResult(self._engine.preview_emails(job, context)), []

    def _read(self, call: ReadCall) -> ReadResult:
        # Imported late: few calls need it (decision 7).
        from chalicelib.engine.conformance.read_received import read_received  # noqa: PLC0415

        document = call.document
        if document is None:
            assert call.document_url is not None, "a call has a document or its address"
            document = self._get(call.document_url, call, _MAX_UPLOAD_BYTES)
        if document is None:
            raise RenderFailure("upload_not_found", "The upload is gone.")
        deadline = Deadline.after(self._left_s(call))
        reading = read_received(document, deadline, self._walls)
        return ReadResult(msgspec.to_builtins(reading))

    def _merge(self, call: MergeCall) -> tuple[MergeResult, Sequence[bytes]]:
        # Imported late: few calls need it (decision 7).
        from chalicelib.engine.combining import merged_pdf  # noqa: PLC0415
        from chalicelib.engine.combining.failure import CombineFailure  # noqa: PLC0415
        from chalicelib.engine.combining.merge_state import MergeState  # noqa: PLC0415

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
        content = self._get(url, call, _MAX_UPLOAD_BYTES)
        if content is None:
            # Its caller has just found it: the render was purged meanwhile.
            raise RenderFailure("file_expired", "A file to merge is gone.")
        return content

    @contextmanager
    def _job(self, call: JobCall) -> "Iterator[tuple[Job, JobContext]]":
        """Yield the job of a call and its context, which ends with the call."""
        job = call.job
        if job is None:
            assert call.job_url is not None, "a call has a job or its address"
            content = self._get(call.job_url, call, _MAX_JOB_BYTES)
            if content is None:
                # The caller deletes it when it stops waiting.
                raise timeout_failure()
            job = msgspec.convert(json.loads_own(content), Job)
        with _watch_for_stop(call.stop_url, self._objects) as stop:
            yield job, self._context(job, call, stop)

    def _context(self, job: Job, call: JobCall, stop: Future[None]) -> JobContext:
        def upload(upload_id: str) -> bytes:
            url = call.uploads.get(upload_id)
            content = None if url is None else self._get(url, call, _MAX_UPLOAD_BYTES)
            if content is None:
                raise RenderFailure("upload_not_found", f"The upload {upload_id} is gone.")
            return content

        def check_data(data: JsonObject, pointer: str) -> None:
            if isinstance(job, PageJob) and job.schema is not None:
                self._schemas().check_data(job.schema, data, prefix=pointer)

        return JobContext(
            deadline=call.ends_at,
            uploads=upload,
            check_data=check_data,
            test=call.test,
            lane=call.lane,
            cancellation=stop,
        )

    def _get(self, url: str, call: "AnyCall | JobCall", max_bytes: int) -> bytes | None:
        timeout_s = self._left_s(call)
        if timeout_s <= 0:
            raise timeout_failure()
        return self._objects.get(url, max_bytes=max_bytes, timeout_s=timeout_s)

    def _left_s(self, call: "AnyCall | JobCall") -> float:
        return call.ends_at - self._clock.now().timestamp()


def check_outcome(outcome: RenderOutcome, call: DryRunJobCall) -> None:
    """Raise `page_limit_exceeded` or `output_too_large` for a file over the limits of a call."""
    for file in outcome.files:
        if file.pages is not None and file.pages > call.max_pages:
            message = f"The document has {file.pages} pages; {call.max_pages} are allowed."
            raise RenderFailure("page_limit_exceeded", message)
        if len(file.content) > call.max_bytes:
            message = f"The {file.format} has more than {call.max_bytes} bytes."
            raise RenderFailure("output_too_large", message)


def _too_large(call: AnyCall, size: int) -> FailureRecord:
    """Return the failure of a result that may be stored nowhere."""
    if isinstance(call, ReadCall):
        message = "What the document holds is too large for an answer; send it as an upload."
        return FailureRecord("validation_error", message)
    allowed = f"with retention none {MAX_INLINE_RESULT_BYTES} are allowed"
    message = f"The files have {size} bytes together; {allowed}."
    return FailureRecord("output_too_large", message)


@contextmanager
def _watch_for_stop(url: str | None, objects: "PresignedObjects") -> Iterator[Future[None]]:
    """Yield a future that is set once there is an object at `url`; None: never."""
    stop: Future[None] = Future()
    if url is None:
        yield stop
        return
    done = threading.Event()
    # A thread of its own keeps the log ids of this one by its context.
    arguments = (_look_until_done, url, objects, stop, done)
    threading.Thread(
        target=copy_context().run, args=arguments, name="stop-watch", daemon=True
    ).start()
    try:
        yield stop
    finally:
        done.set()


def _look_until_done(
    url: str, objects: "PresignedObjects", stop: Future[None], done: threading.Event
) -> None:
    pause_s = FIRST_LOOK_S
    while not done.wait(pause_s):
        pause_s = NEXT_LOOK_S
        try:
            found = objects.get(url, max_bytes=_MAX_STOP_BYTES, timeout_s=_LOOK_TIMEOUT_S)
        except DestinationUnreachableError:
            # The next look follows soon, and the job ends at its deadline in any case.
            log.warning("the stop object could not be looked for", exc_info=True)
            continue
        if found is not None:
            log.info("stopped")
            stop.set_result(None)
            return
