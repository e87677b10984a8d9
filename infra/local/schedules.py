"""Runs functions at a rate, with the event that EventBridge sends."""

import datetime as dt
import json
import threading
import uuid
from typing import Any

from infra.local.functions import Schedule
from infra.local.runner.environment import REGION
from infra.local.runner.pool import Invocation, Pool, Throttled

_ACCOUNT = "000000000000"


class Ticker:
    """Fires one rule; the first time after one period, as AWS does."""

    def __init__(self, schedule: Schedule, pool: Pool) -> None:
        """Take the rule and the function's processes."""
        self._schedule = schedule
        self._pool = pool
        self._stopping = threading.Event()

    def start(self) -> None:
        """Start the thread that waits; it ends with the process or after `stop`."""
        threading.Thread(target=self._run, daemon=True).start()

    def stop(self) -> None:
        """Fire no more."""
        self._stopping.set()

    def _run(self) -> None:
        while not self._stopping.wait(self._schedule.every_s):
            moment = dt.datetime.now(dt.UTC)
            event = scheduled_event(self._schedule.name, moment)
            try:
                self._pool.invoke(Invocation(json.dumps(event).encode()))
            except Throttled:
                continue


def scheduled_event(rule: str, moment: dt.datetime) -> dict[str, Any]:
    """Return the event of a rule that fires at `moment`."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": _ACCOUNT,
        "time": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{_ACCOUNT}:rule/{rule}"],
        "detail": {},
    }
