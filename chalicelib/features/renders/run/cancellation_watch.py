"""Watch for the end of a running render: canceled, or taken over by a later attempt."""

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import Final

import msgspec

from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders

log = logging.getLogger(__name__)

# Most renders end before the first check, so they cost no read (decision 13).
FIRST_CHECK_S: Final = 0.5
NEXT_CHECK_S: Final = 0.4


class CancellationWatch(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Poll of a render's row while its attempt runs."""

    renders: Renders

    @contextmanager
    def watch(self, render: Render) -> Iterator[Future[None]]:
        """Yield a future that is set when the attempt is obsolete."""
        cancellation: Future[None] = Future()
        done = threading.Event()
        poller = threading.Thread(
            target=copy_context().run,
            args=(self._poll, render, cancellation, done),
            name="cancellation-watch",
            daemon=True,
        )
        poller.start()
        try:
            yield cancellation
        finally:
            done.set()

    def _poll(self, render: Render, cancellation: Future[None], done: threading.Event) -> None:
        pause_s = FIRST_CHECK_S
        while not done.wait(pause_s):
            pause_s = NEXT_CHECK_S
            if self._is_obsolete(render):
                log.info("stopped", extra={"attempt": render.attempt})
                cancellation.set_result(None)
                return

    def _is_obsolete(self, render: Render) -> bool:
        try:
            current = self.renders.get(render.workspace_id, render.id)
        except Exception:
            # The next check follows soon, and the final transaction checks in any case.
            log.warning("the render's row could not be read", exc_info=True)
            return False
        return current is None or current.is_final or current.attempt != render.attempt
