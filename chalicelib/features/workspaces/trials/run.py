"""Test of credentials by the function that may open them, one of a kind and workspace at a time."""

from typing import Final

import msgspec

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock
from chalicelib.core.errors import Conflict, no_capacity_error
from chalicelib.core.json import JsonObject
from chalicelib.features.workspaces.trials.repository import RunningTrials

# Longer than a test takes, shorter than its mark lasts.
_WAIT_S: Final = 22.0


class RunTrial(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: invoke a function for a test, and wait for its answer.

    A row of `table` marks a test that runs.
    """

    running: RunningTrials
    function: LambdaFunction
    clock: Clock

    def __call__(self, partition: str, call: JsonObject, subject: str) -> JsonObject:
        """Return the answer to `call`; one test of a partition runs at a time.

        `subject` names the tested connection or destination. Raises `conflict` while another test
        runs, and `region_degraded`.
        """
        now = int(self.clock.now().timestamp())
        try:
            ends_at = self.running.begin(partition, now)
        except ConditionFailed as taken:
            detail = f"A test of {subject} of this workspace runs: wait for its end."
            raise Conflict("conflict", detail) from taken
        try:
            answer = self.function.invoke(call, wait_s=_WAIT_S)
        # The function may still run: the place is free again when it must have ended.
        except (FunctionBusy, FunctionDied, FunctionLate) as loss:
            raise no_capacity_error(f"the test of {subject}") from loss
        self.running.end(partition, ends_at)
        return answer
