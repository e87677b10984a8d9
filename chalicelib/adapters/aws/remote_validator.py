"""Validator port over the validate function; any failure on the way gives no verdict."""

import base64
import hashlib
import logging
import math
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from typing import Any, Final

import msgspec

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.json_logs import propagated_ids
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import ConformanceCheck, Verdict, VerdictJson
from chalicelib.engine.deadline import Deadline

log = logging.getLogger(__name__)

# In base64, together with the checks, this fits into the 6 MB payload of an invocation.
MAX_INLINE_BYTES: Final = 4_000_000
_KEY_PREFIX: Final = "tmp/validate/"
# The function's own deadline is earlier by this, so that its response arrives in time.
_RETURN_MARGIN_S: Final = 0.5
_BUSY_PAUSE_S: Final = 0.15
# A client is kept for each timeout. Coarse steps keep them few; `_invoke` watches the deadline.
_TIMEOUT_STEP_S: Final = 30


class RemoteValidator:
    """Validator over a Lambda function.

    A document over MAX_INLINE_BYTES travels as an object, deleted after the call: the function has
    no rights and gets a presigned URL. A document that may not be stored (zero retention, decision
    17) gets no verdict if it is that large.
    """

    def __init__(self, function: LambdaFunction, objects: Objects, tenant: WorkspaceId) -> None:
        """Call `function` for a tenant; store larger documents in `objects` for the call."""
        self._function = function
        self._objects = objects
        self._tenant = tenant

    def validate(
        self,
        content: bytes,
        checks: Sequence[ConformanceCheck],
        deadline: Deadline,
        *,
        may_store: bool = True,
    ) -> Sequence[Verdict]:
        """Return a verdict for each check, in their order; never raises."""
        if not checks:
            return []
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        is_large = len(content) > MAX_INLINE_BYTES
        if is_large and not may_store:
            return _no_verdicts(checks, "a document this large would have to be stored on its way")
        try:
            with self._document_payload(content, deadline, is_large=is_large) as document:
                return self._request_verdicts(document, checks, deadline)
        except (FunctionBusy, FunctionDied, FunctionLate, BotoCoreError, ClientError) as failure:
            return _no_verdicts(
                checks, f"the validators were not reached: {type(failure).__name__}"
            )

    def _request_verdicts(
        self, document: Mapping[str, str], checks: Sequence[ConformanceCheck], deadline: Deadline
    ) -> Sequence[Verdict]:
        request: JsonObject = {
            **propagated_ids(),
            **document,
            "checks": msgspec.to_builtins([check.to_json() for check in checks]),
        }
        while (left_s := deadline.remaining_s() - _RETURN_MARGIN_S) > 0:
            try:
                payload = {**request, "until": time.time() + left_s}
                response = self._invoke(payload, deadline)
            except FunctionBusy:
                time.sleep(_BUSY_PAUSE_S)
            else:
                return _parse_verdicts(response, checks)
        return _no_verdicts(checks, "there was no time left for the validators")

    def _invoke(self, payload: JsonObject, deadline: Deadline) -> JsonObject:
        """Call the function; raises FunctionLate at the deadline or when the render is canceled."""
        wait_s = math.ceil(deadline.remaining_s() / _TIMEOUT_STEP_S) * _TIMEOUT_STEP_S
        result = self._function.start(payload, wait_s=wait_s, tenant=self._tenant)
        # In the stubs all futures of a `wait` have one type.
        either: list[Future[Any]] = [result, deadline.cancellation]
        wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
        if not result.done():
            raise FunctionLate
        return result.result()

    @contextmanager
    def _document_payload(
        self, content: bytes, deadline: Deadline, *, is_large: bool
    ) -> Iterator[dict[str, str]]:
        if not is_large:
            yield {"content": base64.b64encode(content).decode()}
            return
        key = _KEY_PREFIX + secrets.token_hex(16)
        digest = hashlib.sha256(content).digest()
        self._objects.put(key, content, content_type="application/octet-stream", sha256=digest)
        try:
            yield {"url": self._objects.presigned_get(key, expires_s=_expires_s(deadline))}
        finally:
            self._delete_object(key)

    def _delete_object(self, key: str) -> None:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        try:
            self._objects.delete(key)
        except (BotoCoreError, ClientError):
            # The bucket's lifecycle rule for `tmp/validate/` removes it a day later.
            log.warning("validated object not deleted", exc_info=True)


def _expires_s(deadline: Deadline) -> int:
    """Return for how long the function may fetch the document."""
    return math.ceil(deadline.remaining_s()) + 1


def _parse_verdicts(response: JsonObject, checks: Sequence[ConformanceCheck]) -> Sequence[Verdict]:
    try:
        listed = msgspec.convert(response.get("verdicts"), list[VerdictJson])
    except msgspec.ValidationError:
        listed = []
    if len(listed) != len(checks):
        return _no_verdicts(checks, "the validators answer as another release does")
    return [Verdict.from_json(verdict) for verdict in listed]


def _no_verdicts(checks: Sequence[ConformanceCheck], reason: str) -> Sequence[Verdict]:
    log.warning("no verdict: %s", reason)
    return [Verdict(why=reason) for _ in checks]
