"""Kills functions over webhooks: the way to their crash points, and the invariants."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from chalicelib.adapters.aws.table import Row, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint
from tests.builders.crash.stack import CrashStack
from tests.builders.crash.workspace import CrashWorkspace
from tests.fakes.webhook_receiver import WebhookReceiver

# The first crash point of webhooks.
FIRST_WEBHOOK_POINT: Final = CrashPoint.WEBHOOK_PAYLOAD_STORED
_CLAIM: Final = dt.timedelta(seconds=40)
_LARGE: Final = {f"k{n}": "x" * 490 for n in range(40)}


class CrashWebhooks(CrashWorkspace):
    """A workspace with one endpoint, whose receiver counts its deliveries."""

    def __init__(self, stack: CrashStack, receiver: WebhookReceiver) -> None:
        """Create the workspace."""
        super().__init__(stack)
        self.receiver = receiver
        self.kills = 0
        self.samples = 0

    def make_endpoint(self) -> str:
        """Create the endpoint and return its path."""
        made = self.call("POST", "/webhook-endpoints", json={"url": self.receiver.url})
        return f"/webhook-endpoints/{made['id']}"

    def render(self, *, large: bool = False, **fields: Any) -> str:
        """Make a render, whose event has a payload in the row or in the bucket; return its id."""
        body = {"input": {"type": "html", "html": "<p>Hi"}, "mode": "async"} | fields
        if large:
            body["metadata"] = _LARGE
        render_id: str = self.call("POST", "/renders", json=body)["id"]
        return render_id

    def die(self, point: CrashPoint) -> None:
        """Kill the next function that reaches a point, and let the others finish their work."""
        self.kills += 1
        self.settle(lambda: list(self.faults()), point)

    def deliveries(self) -> list[Row]:
        """Return the rows of all deliveries."""
        return [row for row in self.rows() if "#WHD#" in row["PK"] and row["SK"] == "META"]

    def attempts(self, delivery: Row) -> list[Row]:
        """Return the finished attempts of a delivery, in order."""
        rows = self.stores.partition(delivery["PK"])
        return [row for row in rows if row["SK"].startswith("TRY#")]

    def received(self) -> Counter[str]:
        """Return how often each event has arrived."""
        return Counter(each.headers["webhook-id"] for each in self.receiver.received)

    def take_all_leases(self, endpoint: str, seconds: float) -> None:
        """Let other functions hold all places of an endpoint for a time."""
        until = format_rfc3339(self.stack.now() + dt.timedelta(seconds=seconds))
        held = {f"{until}#{n}" for n in range(4)}
        key = f"WS#{self.workspace}#WHE"
        name = f"of_{endpoint.rpartition('/')[2]}"
        for queue in ("webhooks", "webhooks_slow"):
            row: Row = {"PK": key, "SK": f"LEASES#{queue}", "all": held, name: held}
            self.stores.main_table.write(Write(self.stores.main_table, item=row))

    def give_up(self, delivery: Row) -> None:
        """Send the dead letter of a delivery's message."""
        message = {"v": 1, "workspace_id": self.workspace, "delivery_id": delivery["id"]}
        self.stores.send_dead_letter("Webhooks", message)

    def lease_faults(self) -> Iterator[str]:
        """Yield unless only dead functions hold leases, each until its claim would have ended."""
        now = format_rfc3339(self.stack.now())
        longest = format_rfc3339(self.stack.now() + _CLAIM)
        held = [
            text.partition("#")[0]
            for row in self.rows()
            if row["SK"].startswith("LEASES#")
            for text in row.get("all", ())
            if text > now
        ]
        if len(held) > self.kills or any(until > longest for until in held):
            yield f"leases {held}"

    def faults(self) -> Iterator[str]:
        """Yield open work, and the broken invariants."""
        rows = self.rows()
        told = [row for row in rows if row["SK"].startswith("EVENT#") and "#RND#" in row["PK"]]
        deliveries = self.deliveries()
        yield from (f"{row['type']} is not published" for row in told if "due_at" in row)
        heard = Counter(row["event_id"] for row in deliveries)
        samples = heard.keys() - {row["id"] for row in told}
        if set(heard.values()) - {1} or len(heard) != len(told) + self.samples:
            yield f"deliveries {heard}, events {[row['id'] for row in told]}"
        if len(samples) != self.samples:
            yield f"{len(samples)} samples"
        for row in deliveries:
            yield from self._delivery_faults(row)
        spare = sum(self.received().values()) - sum(row["attempts_made"] for row in deliveries)
        if spare > self.kills:
            yield f"{spare} requests without an attempt"
        named = {row["payload_key"] for row in deliveries if row.get("payload_key")}
        stored = set(self.stores.keys(f"log/ws/{self.workspace}/"))
        if stored != named:
            yield f"payloads {stored}, named {named}"

    def _delivery_faults(self, row: Row) -> Iterator[str]:
        attempts = self.attempts(row)
        numbers = [int(attempt["number"]) for attempt in attempts]
        if numbers != list(range(1, int(row["attempts_made"]) + 1)):
            yield f"attempts {numbers}, counted {row['attempts_made']}"
        if len(attempts) > self.received()[row["event_id"]]:
            yield f"{len(attempts)} attempts, received {self.received()}"
        if "due_at" not in row or "DPK" not in row:
            yield "nothing is due"
        if row["status"] in {"pending", "retrying"} or row.get("next_attempt_at"):
            yield f"it is {row['status']}, next at {row.get('next_attempt_at')}"
        if "claim" in row or "claimed_until" in row:
            yield f"claimed until {row.get('claimed_until')}"
