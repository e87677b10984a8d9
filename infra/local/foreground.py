"""A stack in the foreground: it serves until a signal comes, and is stopped in any case."""

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final

from infra.local.emulators import StackError
from infra.local.examples import DemoError
from infra.local.resources import ResourceError
from infra.local.seed import SeedError
from infra.local.stack import Stack, watch
from infra.template import TemplateError

# M_ARENA_MAX, M_MMAP_THRESHOLD and M_TRIM_THRESHOLD of glibc.
_MALLOC_PARAMETERS: Final = {-8: 2, -3: 131_072, -1: 131_072}
_FAULTS: Final = (DemoError, ResourceError, SeedError, StackError, TemplateError)


def run_in_foreground(
    stack: Stack,
    start: Callable[[], None],
    *,
    drain_s: float = 0.0,
    before_stop: Callable[[], None] = lambda: None,
) -> None:
    """Start a stack and serve until a signal comes; exits with status 1 after a fault.

    What runs then has `drain_s` to end, unless a second signal comes. `before_stop` is called
    in any case.
    """
    interrupt = _StopSignal()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, interrupt)
    # Without a terminal SIGHUP comes from the rotation of logs, which has nothing to reopen here.
    signal.signal(signal.SIGHUP, interrupt if os.isatty(0) else lambda *_: None)
    _return_freed_memory()
    try:
        start()
        interrupt.raises = False
        watch(stack, interrupt.stopping)
        before_stop()
        if drain_s:
            _drain(stack, interrupt, drain_s)
    except KeyboardInterrupt:
        stack.console.note("stopped while starting")
    except _FAULTS as fault:
        stack.console.note(str(fault))
        sys.exit(1)
    finally:
        interrupt.raises = False
        before_stop()
        stack.stop()


def _drain(stack: Stack, interrupt: "_StopSignal", seconds: float) -> None:
    stack.console.note("stopping: what runs may end")
    if not stack.drain(seconds, interrupt.hurrying):
        stack.console.note("what has not ended goes on after the next start")


def _return_freed_memory() -> None:
    """Let the many threads of this process keep little freed memory, with glibc (mallopt(3))."""
    with contextlib.suppress(AttributeError):
        for parameter, value in _MALLOC_PARAMETERS.items():
            ctypes.CDLL(None).mallopt(parameter, value)


class _StopSignal:
    """Signal handler that interrupts the start once; while serving it only sets `stopping`.

    `stopping` is set in either case, because an exception that a signal raises inside a finalizer
    is lost. A second signal sets `hurrying`.
    """

    def __init__(self) -> None:
        self.stopping = threading.Event()
        self.hurrying = threading.Event()
        self.raises = True

    def __call__(self, *_: object) -> None:
        if self.stopping.is_set():
            self.hurrying.set()
        self.stopping.set()
        if self.raises:
            self.raises = False
            raise KeyboardInterrupt
