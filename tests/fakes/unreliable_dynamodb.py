"""DynamoDB client whose writes conflict, lose their answers, and arrive again later."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, Final

from tests.fakes.fault_injector import FaultInjector

_OPERATIONS: Final[Mapping[str, str]] = {
    "update_item": "UpdateItem",
    "put_item": "PutItem",
    "delete_item": "DeleteItem",
    "transact_write_items": "TransactWriteItems",
}
# Fewer than the product repeats.
_MAX_CONFLICTS: Final = 3


class UnreliableDynamodb:
    """Client before another one, with the faults that an injector draws.

    Writes of one item are executed twice if their answer is lost, as botocore repeats them;
    transactions are executed once, by their token.
    """

    def __init__(self, client: Any, faults: FaultInjector) -> None:
        self._client = client
        self.faults = faults
        self._conflicts = 0
        self._sent: list[partial[Any]] = []

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        operation = _OPERATIONS.get(name)
        if operation is None or not self.faults.is_on:
            return call
        return partial(self._write, call, operation)

    def deliver_late(self) -> None:
        """Deliver the writes of one item that were delayed on their way, the latest first."""
        while self._sent:
            with suppress(self._client.exceptions.ConditionalCheckFailedException):
                self._sent.pop()()

    def _write(self, call: Callable[..., Any], operation: str, **request: Any) -> Any:
        fault = self.faults.draw(f"dynamodb.{operation}")
        if fault == "conflict" and self._conflicts < _MAX_CONFLICTS:
            self._conflicts += 1
            raise self._conflict(operation, request)
        self._conflicts = 0
        if operation == "TransactWriteItems":
            return call(**request)
        self._sent.append(partial(call, **request))
        if fault == "lost":
            call(**request)
        return call(**request)

    def _conflict(self, operation: str, request: Mapping[str, Any]) -> Any:
        refusals = self._client.exceptions
        if operation != "TransactWriteItems":
            code = "TransactionConflictException"
            return refusals.TransactionConflictException({"Error": {"Code": code}}, operation)
        reasons = [{"Code": "None"} for _ in request["TransactItems"]]
        reasons[-1] = {"Code": "TransactionConflict"}
        answer = {
            "Error": {"Code": "TransactionCanceledException"},
            "CancellationReasons": reasons,
        }
        return refusals.TransactionCanceledException(answer, operation)
