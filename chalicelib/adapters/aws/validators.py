"""The validators behind their function; whatever goes wrong on the way there is no verdict."""

import base64
import hashlib
import logging
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

from chalicelib.adapters.aws.functions import Function, FunctionBusy, FunctionDied, FunctionLate
from chalicelib.adapters.aws.objects import Objects
from chalicelib.engine.conformance.checks import Check, Verdict
from chalicelib.engine.deadline import Deadline

log = logging.getLogger(__name__)

# In base64 it and what is asked fit into the 6 MB that an invocation takes.
INLINE_BYTES: Final = 4_000_000
_PLACE: Final = "tmp/validate/"
# The function answers this much before nobody waits any more.
_WAY_S: Final = 0.5


class RemoteValidator:
    """Validator over a function; larger documents go by an object that lives as long as the call.

    Who may not keep anything of a document has no verdict on a larger one.
    """

    def __init__(self, function: Function, objects: Objects) -> None:
        """Ask `function`; hand larger documents over through `objects`."""
        self._function = function
        self._objects = objects

    def judge(
        self, content: bytes, checks: Sequence[Check], deadline: Deadline, *, keep: bool = True
    ) -> Sequence[Verdict]:
        """Answer each check; never raises."""
        if not checks:
            return []
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        large = len(content) > INLINE_BYTES
        if large and not keep:
            return _none(checks, "a document this large would have to be stored on its way")
        try:
            with self._handed_over(content, large=large) as document:
                return self._ask(document, checks, deadline)
        except (FunctionBusy, FunctionDied, FunctionLate, BotoCoreError, ClientError) as failure:
            return _none(checks, f"the validators were not reached: {type(failure).__name__}")

    def _ask(
        self, document: Mapping[str, str], checks: Sequence[Check], deadline: Deadline
    ) -> Sequence[Verdict]:
        wait_s = deadline.remaining_s() - _WAY_S
        if wait_s <= 0:
            return _none(checks, "there was no time left for the validators")
        order = {
            **document,
            "checks": [check.to_json() for check in checks],
            "until": time.time() + wait_s,
        }
        answer = self._function.invoke(order, wait_s=deadline.remaining_s())
        return [Verdict.from_json(verdict) for verdict in answer["verdicts"]]

    @contextmanager
    def _handed_over(self, content: bytes, *, large: bool) -> Iterator[dict[str, Any]]:
        if not large:
            yield {"content": base64.b64encode(content).decode()}
            return
        key = _PLACE + secrets.token_hex(16)
        digest = hashlib.sha256(content).digest()
        self._objects.put(key, content, content_type="application/octet-stream", sha256=digest)
        try:
            yield {"key": key}
        finally:
            self._objects.delete(key)


def _none(checks: Sequence[Check], why: str) -> Sequence[Verdict]:
    log.warning("no verdict: %s", why)
    return [Verdict(why=why) for _ in checks]
