"""Reference model of webhook endpoints and deliveries: allowed requests, and shown states."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Final

from standardwebhooks.webhooks import Webhook

# Earliest starts after the first attempt: the offsets of the contract, a tenth earlier, and what a
# queue rounds.
_OFFSETS_S: Final = (0, 5, 300, 2_100, 9_300, 27_300, 63_300, 99_300)
_EARLIEST: Final = tuple(dt.timedelta(seconds=0.9 * offset - 0.51) for offset in _OFFSETS_S)
_DISABLED_AFTER: Final = dt.timedelta(days=5)
_OPEN: Final = ("pending", "retrying")


@dataclass
class ModelEndpoint:
    """Endpoint; `previous` is the secret before the current one, with its end."""

    id: str
    url: str
    secret: str
    answer: int = 200
    enabled: bool = True
    is_deleted: bool = False
    enabled_since: str = ""
    failing_since: dt.datetime | None = None
    previous: tuple[str, dt.datetime] | None = None
    deliveries: list["ModelDelivery"] = field(default_factory=list)

    def secrets(self, now: dt.datetime) -> list[str]:
        """Return the secrets that sign."""
        is_valid = self.previous is not None and now < self.previous[1]
        return [self.secret, *([self.previous[0]] if self.previous and is_valid else [])]

    def roll(self, secret: str, now: dt.datetime, overlap_s: int) -> None:
        """Take a new secret; the last one ends after the overlap."""
        self.previous = (self.secret, now + dt.timedelta(seconds=overlap_s))
        self.secret = secret

    def pause(self) -> None:
        """Cancel open deliveries."""
        self.enabled = False
        for delivery in self.deliveries:
            if delivery.status in _OPEN:
                delivery.status = "canceled"

    def delete(self) -> None:
        """Cancel open deliveries, and the replays to come."""
        self.pause()
        self.is_deleted = True
        for delivery in self.deliveries:
            delivery.is_replay = False

    def enable(self, now: str) -> None:
        """Forget failures; canceled deliveries stay so."""
        if not self.enabled:
            self.enabled_since = now
        self.enabled = True
        self.failing_since = None

    def count_answer(self, now: dt.datetime, *, is_success: bool) -> None:
        """Disable the endpoint at the first failure five days after the first one."""
        if is_success:
            self.failing_since = None
            return
        self.failing_since = self.failing_since or now
        if self.enabled and now - self.failing_since >= _DISABLED_AFTER:
            self.pause()


@dataclass
class ModelDelivery:
    """Delivery of one event; `answers` are those of its finished attempts."""

    id: str
    event_id: str
    created_at: str
    endpoint: ModelEndpoint
    status: str = "pending"
    answers: list[int] = field(default_factory=list)
    scheduled: int = 0
    is_replay: bool = False
    first_at: dt.datetime | None = None

    def check_request(self, now: dt.datetime) -> None:
        """Assert that an attempt may be made now."""
        assert not self.endpoint.is_deleted, "it is deleted"
        if self.is_replay:
            return
        assert self.endpoint.enabled, "it is paused"
        assert self.status in _OPEN, f"it is {self.status}"
        assert self.scheduled < len(_EARLIEST), "too many attempts"
        if self.first_at is not None:
            assert now - self.first_at >= _EARLIEST[self.scheduled], "it is too early"

    def finish_attempt(self, answer: int, now: dt.datetime) -> None:
        """Take the answer of an attempt that is in the log."""
        self.answers.append(answer)
        self.first_at = self.first_at or now
        self.scheduled += not self.is_replay
        self.is_replay = False
        is_success = 200 <= answer < 300
        if is_success:
            self.status = "succeeded"
        elif self.status in _OPEN:
            self.status = "failed" if self.scheduled == len(_EARLIEST) else "retrying"
        self.endpoint.count_answer(now, is_success=is_success)


def signatures(secrets: list[str], event_id: str, timestamp: int, body: bytes) -> set[str]:
    """Return the signatures of a body by the public library."""
    moment = dt.datetime.fromtimestamp(timestamp, dt.UTC)
    return {Webhook(secret).sign(event_id, moment, body.decode()) for secret in secrets}
