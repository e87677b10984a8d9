"""Dead letter rows: `DLQ#<queue>` in the table whose items expire (decision 11)."""

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.core.clock import Clock, parse_rfc3339
from chalicelib.core.ids import sha256_hex

# The longest retention that SQS offers.
_RETENTION: Final = dt.timedelta(days=14)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """Message that no worker could process.

    `queue` is its queue, `reason` the cause of its failure, `outcome` the effect of its resolution.
    """

    queue: str
    id: str
    body: str
    reason: str
    outcome: str
    sent_at: str
    recorded_at: str


class DeadLetters(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Repository of dead letters: one for each queue and body."""

    table: Table
    clock: Clock

    def save(self, letter: DeadLetter) -> None:
        """Save a letter; a letter with the same queue and body is replaced."""
        expires_at = parse_rfc3339(letter.recorded_at) + _RETENTION
        item = asdict(letter) | _key(letter) | {"ttl": int(expires_at.timestamp())}
        # A transaction: a late write would bring a letter back that has been sent again.
        self.table.transact([Write(self.table, item=item)])

    def of_queue(self, queue: str) -> Iterator[DeadLetter]:
        """Yield the letters of one queue, oldest first."""
        yield from sorted(self._live_records(queue), key=lambda letter: letter.sent_at)

    def _live_records(self, queue: str) -> Iterator[DeadLetter]:
        now_s = int(self.clock.now().timestamp())
        start: Row | None = None
        while True:
            page = self.table.query("PK = :pk", {":pk": f"DLQ#{queue}"}, start=start)
            for item in page.items:
                # DynamoDB deletes expired items within days, not at once.
                if item["ttl"] > now_s:
                    yield DeadLetter(**{name: item[name] for name in DeadLetter.__slots__})
            start = page.last_evaluated_key
            if start is None:
                return

    def delete(self, letter: DeadLetter) -> None:
        """Delete a letter; a newer letter with the same body but another id stays."""
        write = Write(
            self.table,
            key=_key(letter),
            condition="id = :id",
            values={":id": letter.id},
        )
        with suppress(ConditionFailed):
            self.table.write(write)


def _key(letter: DeadLetter) -> Row:
    # The body is the key: a message that fails again and again is one letter.
    return {"PK": f"DLQ#{letter.queue}", "SK": sha256_hex(letter.body.encode())}
