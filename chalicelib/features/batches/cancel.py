"""Cancel a batch: one write, however many items wait."""

import datetime as dt
from collections.abc import Callable
from typing import Final

import msgspec

from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.batches.model import Batch
from chalicelib.features.batches.repository import Batches

# The releaser ends a batch without running renders in that time.
_MAX_WAIT: Final = dt.timedelta(seconds=5)
_LOOK_S: Final = 0.1


class CancelBatch(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Cancellation of batches.

    `wake` sends a message to the releaser.
    """

    batches: Batches
    wake: Callable[[WorkspaceId], None]
    sleep: Callable[[float], None]
    clock: Clock

    def __call__(self, batch: Batch) -> Batch:
        """Cancel a batch, wait some seconds for renders in flight, and return the batch.

        Nothing ends after the batch is `canceled`, so it is not before the last render has ended.
        Raises `conflict` if the batch is final.
        """
        if batch.is_final:
            raise _final_error(batch)
        until = self.clock.now() + _MAX_WAIT
        self.batches.request_cancel(batch, format_rfc3339(self.clock.now()))
        crash_if_armed(CrashPoint.BATCH_CANCEL_WRITTEN)
        self.wake(batch.workspace_id)
        while True:
            current = self.batches.get(batch.key)
            assert current is not None, batch.id
            if current.is_final and current.cancel_requested_at is None:
                raise _final_error(current)
            if current.is_final or self.clock.now() > until:
                return current
            self.sleep(_LOOK_S)


def _final_error(batch: Batch) -> Conflict:
    message = f"The batch is {batch.status}; only one that is queued or processing can be canceled."
    return Conflict("conflict", message)
