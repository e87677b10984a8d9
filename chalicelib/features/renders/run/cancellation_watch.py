"""Stop the work on a render that was ended by others, or that a later attempt has taken over."""

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import Final

from chalicelib.features.renders.model import Render
from chalicelib.features.renders.repository import Renders

log = logging.getLogger(__name__)

# Most renders are over before anybody looks.
FIRST_CHECK_S: Final = 0.5
NEXT_CHECK_S: Final = 0.4


class CancellationWatch:
    """Looks at the row of a render while it is being worked on."""

    def __init__(self, renders: Renders) -> None:
        """Look there."""
        self._renders = renders

    @contextmanager
    def watch(self, render: Render) -> Iterator[Future[None]]:
        """Yield what is set when an attempt is worked on in vain."""
        stopped: Future[None] = Future()
        over = threading.Event()
        look = threading.Thread(
            target=copy_context().run,
            args=(self._poll, render, stopped, over),
            name="cancellation-watch",
            daemon=True,
        )
        look.start()
        try:
            yield stopped
        finally:
            over.set()

    def _poll(self, render: Render, stopped: Future[None], done: threading.Event) -> None:
        pause_s = FIRST_CHECK_S
        while not done.wait(pause_s):
            pause_s = NEXT_CHECK_S
            if self._is_obsolete(render):
                log.info("stopped", extra={"attempt": render.attempt})
                stopped.set_result(None)
                return

    def _is_obsolete(self, render: Render) -> bool:
        try:
            present = self._renders.get(render.workspace_id, render.id)
        except Exception:
            # It is looked at again soon, and by the transaction of its end for certain.
            log.warning("could not look whether the render was ended", exc_info=True)
            return False
        return present is None or present.is_final or present.attempt != render.attempt
