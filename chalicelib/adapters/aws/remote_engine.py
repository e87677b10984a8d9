"""Engine over the engine function, which has no rights: every call brings its presigned URLs."""

import hashlib
import logging
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from chalicelib.adapters.aws.functions import (
    ConnectionLost,
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.json_logs import propagated_ids
from chalicelib.core import json
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.deadline import timeout_failure
from chalicelib.engine.job import Job, LintOutcome, MarkJob, PageJob, RenderOutcome
from chalicelib.engine.ports import PresignedPost
from chalicelib.engine.remote.calls import (
    MAX_INLINE_JOB_BYTES,
    MAX_INLINE_RESULT_BYTES,
    MAX_STORED_RESULT_BYTES,
    AnyCall,
    DryRunJobCall,
    EngineAnswer,
    JobFields,
    LintCall,
    LookUpCall,
    ReadCall,
    RunCall,
    SchemaCall,
    SelfTestCall,
    StoredResult,
    call_to_json,
)
from chalicelib.engine.remote.first_page import FirstPage
from chalicelib.engine.remote.results import (
    DryRunResult,
    LintResult,
    LookUpResult,
    MalformedResultError,
    ReadResult,
    RunResult,
    SchemaResult,
    SelfTestResult,
    decode_result,
)

if TYPE_CHECKING:
    from chalicelib.engine.conformance.read_received_worker import DocumentReading

log = logging.getLogger(__name__)

_TYPE: Final = "application/octet-stream"
_BUSY_PAUSE_S: Final = 0.15
# A call changes nothing, so it can be repeated; an engine that died has used up an attempt.
_MAX_CONNECTIONS: Final = 3
# The engine answers a late job itself, with its trace.
_ANSWER_MARGIN_S: Final = 3.0
# The engine looks for the stop object twice a second, and then ends the page.
_STOP_S: Final = 5.0
# A client is kept for each timeout; coarse steps keep them few.
_TIMEOUT_STEP_S: Final = 30


class EngineLost(Exception):  # noqa: N818 -- its name stands in dead letters
    """The engine ended without a result, or its result cannot be read."""


@dataclass(frozen=True, slots=True)
class EngineCallContext:
    """Circumstances of a call of the engine.

    tenant: the workspace, whose execution environment is used
    folder: prefix of the temporary objects of this call, all of them below `tmp/`
    ends_at: the result is useless from then on (Unix seconds)
    slot_ends_at: the wait for a free engine ends then (Unix seconds)
    uploads: object keys of the job's uploads by id
    may_store: the result may be stored on its way; not with zero retention (decision 17)
    cancellation: ends the call early
    """

    tenant: WorkspaceId
    folder: str
    ends_at: float
    slot_ends_at: float
    uploads: Mapping[str, str] = field(default_factory=dict)
    test: bool = False
    may_store: bool = True
    cancellation: Future[None] = field(default_factory=Future, compare=False)


class RemoteEngine:
    """Engine that runs in a function without rights.

    All methods raise RenderFailure, FunctionBusy where no engine is free in time, and EngineLost.
    """

    def __init__(self, function: LambdaFunction, objects: Objects, clock: Clock) -> None:
        """Call `function`; jobs and results too large for an invocation pass through `objects`."""
        self._function = function
        self._objects = objects
        self._clock = clock

    def run(self, job: Job | MarkJob, context: EngineCallContext) -> RenderOutcome:
        """Make the files of a job."""
        with self.job_fields(job, context) as fields:
            result, contents = self.ask(RunCall(**fields), RunResult, context)
        try:
            return result.outcome(contents)
        # A file refers to its content by number; the engine is not trusted to have sent it
        # (decision 34).
        except IndexError as error:
            raise EngineLost from error

    def dry_run(
        self,
        job: PageJob,
        context: EngineCallContext,
        *,
        max_pages: int,
        max_bytes: int,
        keeps_first_page: bool = False,
    ) -> FirstPage | None:
        """Make the files of a job and drop them; also raises for one over the limits.

        With `keeps_first_page` return their first page, if it can be shown.
        """
        with self.job_fields(job, context) as fields:
            call = DryRunJobCall(
                **fields,
                max_pages=max_pages,
                max_bytes=max_bytes,
                keeps_first_page=keeps_first_page,
            )
            result, contents = self.ask(call, DryRunResult, context)
        try:
            return result.page(contents)
        # As in `run`.
        except IndexError as error:
            raise EngineLost from error

    def lint(self, job: PageJob, context: EngineCallContext) -> LintOutcome:
        """Run the templates of a job and show its page offline; return failures and warnings."""
        with self.job_fields(job, context) as fields:
            result, _ = self.ask(LintCall(**fields), LintResult, context)
        return result.outcome()

    def look_up(
        self,
        addresses: Mapping[str, str],
        context: EngineCallContext,
        *,
        https_only: Sequence[str] = (),
    ) -> Mapping[str, str]:
        """Return why addresses are refused, by JSON Pointer; nothing is sent to their hosts."""
        call = LookUpCall(
            ends_at=context.ends_at,
            result_form=None,
            addresses=addresses,
            https_only=tuple(https_only),
        )
        return self.ask(call, LookUpResult, context)[0].refusals

    def read(self, document: bytes | str, context: EngineCallContext) -> "DocumentReading":
        """Read a received document, given as its bytes or as the key of its object."""
        fields: Any = {"ends_at": context.ends_at, "result_form": self.result_form(context)}
        if isinstance(document, str):
            url = self.sign(document, context)
            call = ReadCall(**fields, document=None, document_url=url)
        else:
            call = ReadCall(**fields, document=document, document_url=None)
        return cast("DocumentReading", self.ask(call, ReadResult, context)[0].reading)

    def check_schema(self, request: JsonObject, context: EngineCallContext) -> Sequence[FieldError]:
        """Return the findings of a check against a JSON Schema; for the schemas function only.

        `request`: see SchemaCall.
        """
        with self._stored_if_large(request, context) as url:
            call = SchemaCall(
                ends_at=context.ends_at,
                result_form=None,
                request=request if url is None else None,
                request_url=url,
            )
            return self.ask(call, SchemaResult, context)[0].findings

    def missing_walls(self, context: EngineCallContext) -> tuple[str, ...]:
        """Return the names of the walls that the engine's processes lack."""
        call = SelfTestCall(ends_at=context.ends_at, result_form=None)
        return self.ask(call, SelfTestResult, context)[0].missing_walls

    @contextmanager
    def job_fields(self, job: Job | MarkJob, context: EngineCallContext) -> Iterator[JobFields]:
        """Yield the fields of a call with this job, which is stored meanwhile if it is large."""
        with self._stored_if_large(msgspec.to_builtins(job), context) as job_url:
            yield JobFields(
                ends_at=context.ends_at,
                result_form=self.result_form(context),
                job=job if job_url is None else None,
                job_url=job_url,
                uploads={
                    upload_id: self.sign(upload_key, context)
                    for upload_id, upload_key in context.uploads.items()
                },
                stop_url=self.sign(_stop_key(context), context),
                test=context.test,
                # With zero retention no page follows another one in its process (decision 40).
                lane=context.tenant if context.may_store else None,
            )

    @contextmanager
    def _stored_if_large(
        self, content: JsonObject, context: EngineCallContext
    ) -> Iterator[str | None]:
        """Yield the address of content too large for an invocation, or None for other content."""
        key = f"{context.folder}/job"
        text = json.dumps(content).encode()
        if len(text) <= MAX_INLINE_JOB_BYTES:
            yield None
            return
        self._store(key, text)
        try:
            yield self.sign(key, context)
        finally:
            self._objects.delete(key)

    def ask[Result](
        self, call: AnyCall | SchemaCall, kind: type[Result], context: EngineCallContext
    ) -> tuple[Result, Any]:
        """Return the result of a call and its contents."""
        payload = {**propagated_ids(), "deadline": context.slot_ends_at, **call_to_json(call)}
        try:
            answer = EngineAnswer.from_json(self._invoke(payload, context))
            content = answer.content
            if content is None:
                content = self._take_stored(answer.stored, context)
            return decode_result(content, kind)
        # An answer of another shape is a lost engine: what made it may be anything (decision 34).
        except (MalformedResultError, msgspec.ValidationError) as error:
            raise EngineLost(str(error)) from None
        except EngineLost:
            if context.may_store:
                # It may have stored its result before it ended.
                self._objects.delete(_result_key(context))
            raise

    def _invoke(self, payload: dict[str, Json], context: EngineCallContext) -> JsonObject:
        connections = _MAX_CONNECTIONS
        while True:
            try:
                return self._invoke_once(payload, context)
            except FunctionBusy:
                if self._now() + _BUSY_PAUSE_S >= context.slot_ends_at:
                    raise
                time.sleep(_BUSY_PAUSE_S)
            except FunctionLate:
                raise timeout_failure() from None
            except ConnectionLost as loss:
                connections -= 1
                if not connections:
                    raise EngineLost(str(loss)) from loss
            except FunctionDied as death:
                raise EngineLost(str(death)) from death

    def _invoke_once(self, payload: dict[str, Json], context: EngineCallContext) -> JsonObject:
        # Computed for each try: those before may have used up the time.
        left_s = context.ends_at + _ANSWER_MARGIN_S - self._now()
        if left_s <= 0:
            raise timeout_failure()
        wait_s = math.ceil(left_s / _TIMEOUT_STEP_S) * _TIMEOUT_STEP_S
        result = self._function.start(payload, wait_s=wait_s, tenant=context.tenant)
        either: list[Future[Any]] = [result, context.cancellation]
        wait(either, left_s, return_when=FIRST_COMPLETED)
        if not result.done() and context.cancellation.done():
            key = _stop_key(context)
            self._store(key, b"stop")
            wait([result], _STOP_S)
            self._objects.delete(key)
        if not result.done():
            raise FunctionLate
        return result.result()

    def result_form(self, context: EngineCallContext) -> PresignedPost | None:
        """Return the form to store a large result with, unless none may be stored."""
        if not context.may_store:
            return None
        return self._objects.presigned_post(
            _result_key(context),
            content_type=_TYPE,
            # What is smaller comes with the answer.
            min_bytes=MAX_INLINE_RESULT_BYTES,
            max_bytes=MAX_STORED_RESULT_BYTES,
            expires_s=self._expires_s(context),
        )

    def _take_stored(self, stored: StoredResult | None, context: EngineCallContext) -> bytes:
        """Return the stored result and delete its object."""
        content = None if stored is None else self._objects.get(_result_key(context))
        if stored is None or content is None:
            message = "the result was not stored"
            raise MalformedResultError(message)
        self._objects.delete(_result_key(context))
        # The form binds key, type and size only; another call cannot know the digest (decision 34).
        if hashlib.sha256(content).hexdigest() != stored.sha256:
            message = "the stored result is another one"
            raise MalformedResultError(message)
        return content

    def _expires_s(self, context: EngineCallContext) -> int:
        """Return for how long the engine may use the addresses of a call."""
        return max(math.ceil(context.ends_at + _ANSWER_MARGIN_S - self._now()), 1)

    def _now(self) -> float:
        return self._clock.now().timestamp()

    def sign(self, key: str, context: EngineCallContext) -> str:
        """Return the URL of an object, for as long as the call may take."""
        return self._objects.presigned_get(key, expires_s=self._expires_s(context))

    def _store(self, key: str, content: bytes) -> None:
        self._objects.put(key, content, content_type=_TYPE, sha256=hashlib.sha256(content).digest())


def _stop_key(context: EngineCallContext) -> str:
    return f"{context.folder}/stop"


def _result_key(context: EngineCallContext) -> str:
    return f"{context.folder}/result"
