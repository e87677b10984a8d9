"""The validators behind their function; whatever goes wrong on the way there is no verdict."""

import base64
import hashlib
import logging
import math
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import copy_context
from functools import partial
from typing import Any, Final

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.json_logs import propagated_ids
from chalicelib.engine.conformance.checks import ConformanceCheck, Verdict
from chalicelib.engine.deadline import Deadline

log = logging.getLogger(__name__)

# In base64 it and what is asked fit into the 6 MB that an invocation takes.
MAX_INLINE_BYTES: Final = 4_000_000
_KEY_PREFIX: Final = "tmp/validate/"
# The function answers this much before nobody waits any more.
_RETURN_MARGIN_S: Final = 0.5
_BUSY_PAUSE_S: Final = 0.15
# A client is kept for each wait: they are few, as the deadline is looked at here.
_TIMEOUT_STEP_S: Final = 30


class RemoteValidator:
    """Validator over a function; larger documents go by an object that lives as long as the call.

    Who may not keep anything of a document has no verdict on a larger one.
    """

    def __init__(self, function: LambdaFunction, objects: Objects) -> None:
        """Ask `function`; hand larger documents over through `objects`."""
        self._function = function
        self._objects = objects

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Answer each check; never raises."""
        if not checks:
            return []
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        large = len(content) > MAX_INLINE_BYTES
        if large and not may_store:
            return _no_verdicts(checks, "a document this large would have to be stored on its way")
        try:
            with self._document_payload(content, large=large) as document:
                return self._request_verdicts(document, checks, deadline)
        except (FunctionBusy, FunctionDied, FunctionLate, BotoCoreError, ClientError) as failure:
            return _no_verdicts(
                checks, f"the validators were not reached: {type(failure).__name__}"
            )

    def _request_verdicts(
        self, document: Mapping[str, str], checks: Sequence[ConformanceCheck], deadline: Deadline
    ) -> Sequence[Verdict]:
        order = {**propagated_ids(), **document, "checks": [check.to_json() for check in checks]}
        while (left_s := deadline.remaining_s() - _RETURN_MARGIN_S) > 0:
            try:
                answer = self._invoke({**order, "until": time.time() + left_s}, deadline)
            except FunctionBusy:
                time.sleep(_BUSY_PAUSE_S)
            else:
                return _parse_verdicts(answer, checks)
        return _no_verdicts(checks, "there was no time left for the validators")

    def _invoke(self, payload: Mapping[str, Any], deadline: Deadline) -> dict[str, Any]:
        """Call the function, and leave it alone when the deadline has come or nobody waits."""
        wait_s = math.ceil(deadline.remaining_s() / _TIMEOUT_STEP_S) * _TIMEOUT_STEP_S
        call = partial(self._function.invoke, payload, wait_s=wait_s)
        pool = ThreadPoolExecutor(1, thread_name_prefix="validators")
        coming = pool.submit(copy_context().run, call)
        pool.shutdown(wait=False)
        either: list[Future[Any]] = [coming, deadline.cancellation]
        wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
        if not coming.done():
            raise FunctionLate
        return coming.result()

    @contextmanager
    def _document_payload(self, content: bytes, *, large: bool) -> Iterator[dict[str, str]]:
        if not large:
            yield {"content": base64.b64encode(content).decode()}
            return
        key = _KEY_PREFIX + secrets.token_hex(16)
        digest = hashlib.sha256(content).digest()
        self._objects.put(key, content, content_type="application/octet-stream", sha256=digest)
        try:
            yield {"key": key}
        finally:
            self._delete_object(key)

    def _delete_object(self, key: str) -> None:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            self._objects.delete(key)
        except (BotoCoreError, ClientError):
            # The bucket itself removes it some days later.
            log.warning("validated object not deleted", exc_info=True)


def _parse_verdicts(
    answer: Mapping[str, Any], checks: Sequence[ConformanceCheck]
) -> Sequence[Verdict]:
    try:
        verdicts = [Verdict.from_json(verdict) for verdict in answer["verdicts"]]
    except (KeyError, TypeError):
        verdicts = []
    if len(verdicts) != len(checks):
        return _no_verdicts(checks, "the validators answer as another release does")
    return verdicts


def _no_verdicts(checks: Sequence[ConformanceCheck], reason: str) -> Sequence[Verdict]:
    log.warning("no verdict: %s", reason)
    return [Verdict(why=reason) for _ in checks]
