"""Time of moto's queues: that of a test, which knows when the next message comes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from moto.core.models import DEFAULT_ACCOUNT_ID
from moto.sqs import models

type NowMs = Callable[[], float]


@contextmanager
def queue_time(now_ms: NowMs) -> Iterator[None]:
    """Let the queues of this process read a clock of a test during the block."""
    with pytest.MonkeyPatch.context() as patches:
        patches.setattr(models, "unix_time_millis", now_ms)
        patches.setattr(models, "unix_time", lambda: now_ms() / 1000)
        yield


def next_message_ms(url: str, region: str) -> float | None:
    """Return when the next message of a queue can be received, or None; 0 is at once."""
    queue = models.sqs_backends[DEFAULT_ACCOUNT_ID][region].get_queue(url.rpartition("/")[2])
    moments = (max(message.visible_at, message.delayed_until) for message in queue._messages)
    return min(moments, default=None)
