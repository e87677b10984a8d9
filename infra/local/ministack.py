"""Start of MiniStack with queues that wake their readers; run by MiniStack's Python.

A reader of an empty queue of MiniStack 1.5.33 looks every 0.1 s (ministack/services/sqs.py), which
delays messages and costs processor time while nothing happens. Here a message wakes the readers;
by themselves they look only for messages whose delay or visibility time has ended.
"""

import asyncio
from types import SimpleNamespace
from typing import Final

LOOK_INTERVAL_S: Final = 0.25


class Readers:
    """Readers that wait; they and the senders share one event loop."""

    def __init__(self) -> None:
        """Start without any."""
        self._waiting: set[asyncio.Future[None]] = set()

    async def wait(self, seconds: float) -> None:
        """Return when a message has come; without one after `LOOK_INTERVAL_S`.

        A shorter time than MiniStack's own interval is the rest of the reader's time, and is kept.
        """
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(woken)
        longest_s = LOOK_INTERVAL_S if seconds >= 0.1 else seconds  # noqa: PLR2004 -- its interval
        try:
            await asyncio.wait((woken,), timeout=longest_s)
        finally:
            self._waiting.discard(woken)

    def set(self) -> None:
        """Wake them all; MiniStack calls this where a message becomes visible."""
        for woken in self._waiting:
            woken.set_result(None)
        self._waiting.clear()


if __name__ == "__main__":
    from ministack.app import main
    from ministack.services import sqs

    readers = Readers()
    sqs.esm_wake = readers
    sqs.asyncio = SimpleNamespace(iscoroutine=asyncio.iscoroutine, sleep=readers.wait)
    main()
