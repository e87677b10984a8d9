"""Start of MiniStack behind a wall, with queues that wake their readers; run by MiniStack's Python.

Only signed requests pass (decision 58). MiniStack 1.5.33 takes unsigned ones, and forms of uploads
whose signature is wrong, unless it also checks the policies of IAM; it lets pages of all origins
read what it answers. Here the rules of a bucket say which may.

A reader of an empty queue of MiniStack 1.5.33 looks every 0.1 s (ministack/services/sqs.py), which
delays messages and costs processor time while nothing happens. Here a message wakes the readers;
by themselves they look only for messages whose delay or visibility time has ended.

With the variable PLATEN_KEPT_STATE keys and secrets are kept in that folder.
"""

import asyncio
import os
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from infra.local.access.asgi import SignedOnly
from infra.local.access.hosts import OwnHosts
from infra.local.access.keys import AccessKey
from infra.local.access.signatures import UnsignedError, check_form
from infra.local.fair_queues import fair
from infra.local.kept_state import KeptState, saving
from infra.local.steady_time import steady_time

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


def signed_forms(
    check_policy: Callable[..., Any], refusal: Callable[..., Any], key: AccessKey
) -> Callable[..., Any]:
    """Return MiniStack's check of a form's policy, which follows that of its signature."""

    def check(fields: Mapping[str, str], *details: Any) -> Any:
        try:
            check_form(fields, key)
        except UnsignedError as fault:
            return refusal("AccessDenied", str(fault), 403)
        return check_policy(fields, *details)

    return check


def with_age(refresh: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
    """Return MiniStack's refresh of a queue's attributes, which adds the age of the oldest message.

    SQS has this attribute in CloudWatch only. Messages in work count, deleted ones do not.
    """

    def refresh_with_age(queue: dict[str, Any]) -> None:
        refresh(queue)
        now = steady_time()
        age_s = max((now - message["sent_at"] for message in queue["messages"]), default=0.0)
        queue["attributes"]["ApproximateAgeOfOldestMessage"] = str(int(max(0.0, age_s)))

    return refresh_with_age


if __name__ == "__main__":
    from ministack import app
    from ministack.core import persistence
    from ministack.services import kms, s3, secretsmanager, sqs

    readers = Readers()
    sqs.esm_wake = readers
    sqs.asyncio = SimpleNamespace(iscoroutine=asyncio.iscoroutine, sleep=readers.wait)
    sqs.time = SimpleNamespace(time=steady_time)
    sqs._collect_msgs = fair(sqs._collect_msgs)  # noqa: SLF001 -- no setting does it
    sqs._refresh_counts = with_age(sqs._refresh_counts)  # noqa: SLF001

    key = AccessKey.from_variables(os.environ)
    s3._enforce_signed_post_policy = signed_forms(s3._enforce_signed_post_policy, s3._error, key)  # noqa: SLF001 -- no setting does it
    s3._enforce_post_policy_size = lambda *_: s3._error("AccessDenied", "sign the form", 403)  # noqa: SLF001

    def cors(path: str, method: str, headers: Mapping[str, str]) -> Mapping[str, str]:
        """Return the headers that the rules of the path's bucket give to an answer."""
        bucket, _, name = path.lstrip("/").partition("/")
        if method != "OPTIONS":
            given: Mapping[str, str] = s3.cors_response_headers(bucket, method, headers)
            return given
        status, answer, _ = s3.cors_preflight(bucket, name, headers)
        return answer if status == HTTPStatus.OK else {}

    if folder := os.environ.get("PLATEN_KEPT_STATE"):
        state = KeptState(Path(folder), {"kms": kms, "secretsmanager": secretsmanager}, persistence)
        state.load()
        app.app = saving(app.app, state, ("TrentService", "secretsmanager"))
    # Of clients whose requests for objects the gateway passes on.
    hosts = OwnHosts(os.environ["PUBLIC_HOSTS"].split(","))
    app.app = SignedOnly(app.app, key, cors, hosts)
    app.main()
