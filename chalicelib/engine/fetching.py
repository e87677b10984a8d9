"""Fetches what a job names, while the job has time."""

from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any, Final

from chalicelib.engine.deadline import Deadline, out_of_time
from chalicelib.engine.job import Job
from chalicelib.engine.outside import Fetched, Outside

MOST_S: Final = 10.0
_AT_ONCE: Final = 4


def fetched(
    urls: Sequence[str], outside: Outside, job: Job, *, most_bytes: int, secure: bool = False
) -> Generator[Future[Fetched]]:
    """Fetch some at once and return each when it has ended, in their order.

    Who closes it before its end spares itself the others. Raises RenderFailure `render_timeout`
    when the job's time has.
    """
    deadline = Deadline.at_epoch(job.deadline, job.stopped)
    get = partial(_get, outside, deadline, most_bytes=most_bytes, secure=secure)
    pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="fetch")
    try:
        for coming in [pool.submit(get, url) for url in urls]:
            either: list[Future[Any]] = [coming, deadline.stopped]
            wait(either, deadline.remaining_s(), return_when=FIRST_COMPLETED)
            if not coming.done():
                raise out_of_time()
            yield coming
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _get(
    outside: Outside, deadline: Deadline, url: str, *, most_bytes: int, secure: bool
) -> Fetched:
    patience = min(MOST_S, deadline.remaining_s())
    return outside.fetch(url, most_bytes=most_bytes, timeout_s=patience, secure=secure)
