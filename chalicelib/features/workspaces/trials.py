"""Test of credentials by the function that may open them, one of a kind and workspace at a time."""

import contextlib
from typing import Final

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.core.clock import Clock
from chalicelib.core.errors import Conflict, no_capacity_error
from chalicelib.core.json import JsonObject

# A test ends after 15 s, and the function that does it after 25 s.
_WAIT_S: Final = 22.0
_LEASE_S: Final = 30


class RunTrial:
    """Use case: invoke a function for a test, and wait for its answer."""

    def __init__(
        self, *, tables: Tables, table: str, function: LambdaFunction, clock: Clock
    ) -> None:
        """Invoke `function`; a row of `table` marks a test that runs."""
        self._tables = tables
        self._table = table
        self._function = function
        self._clock = clock

    def __call__(self, partition: str, call: JsonObject, subject: str) -> JsonObject:
        """Return the answer to `call`; one test of a partition runs at a time.

        `subject` names the tested connection or destination. Raises `conflict` while another test
        runs, and `region_degraded`.
        """
        now = int(self._clock.now().timestamp())
        ends_at = now + _LEASE_S
        key = {"PK": partition, "SK": "TEST"}
        taking = Write(
            self._table,
            item={**key, "ends_at": ends_at},
            condition="attribute_not_exists(PK) OR ends_at <= :now",
            values={":now": now},
        )
        try:
            self._tables.write(taking)
        except ConditionFailed as taken:
            detail = f"A test of {subject} of this workspace runs: wait for its end."
            raise Conflict("conflict", detail) from taken
        try:
            answer = self._function.invoke(call, wait_s=_WAIT_S)
        # The function may still run: the place is free again when it must have ended.
        except (FunctionBusy, FunctionDied, FunctionLate) as loss:
            raise no_capacity_error(f"the test of {subject}") from loss
        giving_back = Write(
            self._table, key=key, condition="ends_at = :ends_at", values={":ends_at": ends_at}
        )
        # It may have passed to another test.
        with contextlib.suppress(ConditionFailed):
            self._tables.write(giving_back)
        return answer
