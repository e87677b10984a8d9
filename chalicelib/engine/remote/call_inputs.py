"""Inputs of a call: the job and the context that its runner gets."""

import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.core import json
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import is_id
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.deadline import timeout_failure
from chalicelib.engine.job import Job, MarkJob, PageJob
from chalicelib.engine.ports import HostUnreachableError
from chalicelib.engine.remote.calls import EngineCall, JobCall

if TYPE_CHECKING:
    from chalicelib.engine.ports import PresignedObjects
    from chalicelib.engine.schemas.check_schemas import CheckSchemas

log = logging.getLogger(__name__)

_MAX_JOB_BYTES: Final = 120_000_000
MAX_UPLOAD_BYTES: Final = 120_000_000
# Most jobs end before the first look, so they cost no request.
FIRST_LOOK_S: Final = 1.0
NEXT_LOOK_S: Final = 0.5
_LOOK_TIMEOUT_S: Final = 3.0
_MAX_STOP_BYTES: Final = 1_000


class CallInputs(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Inputs of calls, in the call itself or at its presigned addresses.

    `schemas` is called when the first job needs it.
    """

    objects: "PresignedObjects"
    clock: Clock
    schemas: "Callable[[], CheckSchemas] | None" = None

    @contextmanager
    def job(self, call: JobCall) -> Iterator[tuple[Job | MarkJob, JobContext]]:
        """Yield the job of a call and its context, which ends with the call."""
        job = call.job
        if job is None:
            assert call.job_url is not None, "a call has a job or its address"
            content = self.get(call.job_url, call, _MAX_JOB_BYTES)
            if content is None:
                # The caller deletes it when it stops waiting.
                raise timeout_failure()
            job = msgspec.convert(json.loads_own(content), Job | MarkJob)
        with _watch_for_stop(call.stop_url, self.objects) as stop:
            yield job, self._context(job, call, stop)

    def _context(self, job: Job | MarkJob, call: JobCall, stop: Future[None]) -> JobContext:
        def upload(upload_id: str) -> bytes:
            url = call.uploads.get(upload_id)
            content = None if url is None else self.get(url, call)
            if content is None and is_id("file", upload_id):
                raise RenderFailure("file_expired", f"The file {upload_id} is gone.")
            if content is None:
                raise RenderFailure("upload_not_found", f"The upload {upload_id} is gone.")
            return content

        def check_data(data: JsonObject, pointer: str) -> None:
            if isinstance(job, PageJob) and job.schema is not None:
                assert self.schemas is not None, "this function runs no pages"
                self.schemas().check_data(job.schema, data, prefix=pointer)

        return JobContext(
            deadline=call.ends_at,
            uploads=upload,
            check_data=check_data,
            test=call.test,
            lane=call.lane,
            cancellation=stop,
        )

    def get(self, url: str, call: EngineCall, max_bytes: int = MAX_UPLOAD_BYTES) -> bytes | None:
        """Return the object at a URL, or None; raises `render_timeout`."""
        timeout_s = self.left_s(call)
        if timeout_s <= 0:
            raise timeout_failure()
        return self.objects.get(url, max_bytes=max_bytes, timeout_s=timeout_s)

    def left_s(self, call: EngineCall) -> float:
        """Return the seconds until a call is useless."""
        return call.ends_at - self.clock.now().timestamp()


@contextmanager
def _watch_for_stop(url: str | None, objects: "PresignedObjects") -> Iterator[Future[None]]:
    """Yield a future that is set once there is an object at `url`; without a URL it stays open."""
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
        except HostUnreachableError:
            # The next look follows soon, and the job ends at its deadline in any case.
            log.warning("the stop object could not be looked for", exc_info=True)
            continue
        if found is not None:
            log.info("stopped")
            stop.set_result(None)
            return
