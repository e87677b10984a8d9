"""Waits for other threads and processes, however busy the machine is."""

import socket
import time
from collections.abc import Callable
from typing import Final

# Only a test that fails waits this long.
PATIENCE_S: Final = 120.0


def eventually[Found](look: Callable[[], Found | None], *, pause_s: float = 0.01) -> Found:
    """Return the result of `look` once that is true; fail after PATIENCE_S."""
    end = time.monotonic() + PATIENCE_S
    while not (found := look()):
        assert time.monotonic() < end, f"not after {PATIENCE_S:g} s: {found!r}"
        time.sleep(pause_s)
    return found


def generous_deadline() -> float:
    """Return a deadline that only a call which hangs reaches (seconds since 1970)."""
    return time.time() + PATIENCE_S


def is_listening(port: int) -> bool:
    """Tell whether something takes connections on a port of this machine."""
    try:
        socket.create_connection(("127.0.0.1", port), PATIENCE_S).close()
    except OSError:
        return False
    return True
