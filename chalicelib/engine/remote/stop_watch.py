"""Watch for the object by which the caller stops a job."""

import logging
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import Final

from chalicelib.engine.ports import DestinationUnreachableError, PresignedObjects

log = logging.getLogger(__name__)

# Most jobs end before the first look, so they cost no request.
FIRST_LOOK_S: Final = 1.0
NEXT_LOOK_S: Final = 0.5
_TIMEOUT_S: Final = 3.0
_MAX_BYTES: Final = 1_000


@contextmanager
def watch_for_stop(url: str | None, objects: PresignedObjects) -> Iterator[Future[None]]:
    """Yield a future that is set once there is an object at `url`; None: never."""
    stop: Future[None] = Future()
    if url is None:
        yield stop
        return
    done = threading.Event()
    # A thread of its own keeps the log ids of this one by its context.
    arguments = (_look_until_done, url, objects, stop, done)
    threading.Thread(
        target=copy_context().run, args=arguments, name="stop-watch", daemon=True
    ).start()
    try:
        yield stop
    finally:
        done.set()


def _look_until_done(
    url: str, objects: PresignedObjects, stop: Future[None], done: threading.Event
) -> None:
    pause_s = FIRST_LOOK_S
    while not done.wait(pause_s):
        pause_s = NEXT_LOOK_S
        try:
            is_stopped = objects.get(url, max_bytes=_MAX_BYTES, timeout_s=_TIMEOUT_S) is not None
        except DestinationUnreachableError:
            # The next look follows soon, and the job ends at its deadline in any case.
            log.warning("the stop object could not be looked for", exc_info=True)
            continue
        if is_stopped:
            log.info("stopped")
            stop.set_result(None)
            return
