"""Execution of calls in the schemas function, which has no rights."""

from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from chalicelib.core import json
from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.deadline import timeout_failure
from chalicelib.engine.failure_record import FailureRecord
from chalicelib.engine.remote.calls import EngineAnswer, SchemaCall
from chalicelib.engine.remote.results import SchemaResult, encode_result

if TYPE_CHECKING:
    from chalicelib.core.clock import Clock
    from chalicelib.engine.ports import PresignedObjects
    from chalicelib.engine.schemas.check_schemas import SchemaChecker

_MAX_REQUEST_BYTES: Final = 120_000_000


class ExecuteSchemaCall(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Execution of calls, one at a time."""

    schemas: "SchemaChecker"
    objects: "PresignedObjects"
    clock: "Clock"

    def __call__(self, call: SchemaCall) -> EngineAnswer:
        """Return the findings; an exception is a fault of the function, not of a schema."""
        try:
            result: SchemaResult | FailureRecord = SchemaResult(tuple(self._findings(call)))
        except RenderFailure as failure:
            result = FailureRecord.of(failure)
        return EngineAnswer(encode_result(result))

    def _findings(self, call: SchemaCall) -> list[FieldError]:
        request: Any = call.request
        if request is None:
            request = self._load_request(call)
        schema, prefix = request["schema"], cast("str", request["prefix"])
        budget_s = self._left_s(call)
        if "data" in request:
            return self.schemas.validate(schema, request["data"], budget_s=budget_s, prefix=prefix)
        return self.schemas.check_schema(schema, budget_s=budget_s, prefix=prefix)

    def _load_request(self, call: SchemaCall) -> object:
        assert call.request_url is not None, "a call has a request or its address"
        timeout_s = self._left_s(call)
        content = self.objects.get(
            call.request_url, max_bytes=_MAX_REQUEST_BYTES, timeout_s=timeout_s
        )
        if content is None:
            # The caller deletes it when it stops waiting.
            raise timeout_failure()
        return json.loads_own(content)

    def _left_s(self, call: SchemaCall) -> float:
        left_s = call.ends_at - self.clock.now().timestamp()
        if left_s <= 0:
            raise timeout_failure()
        return left_s
