"""Where dead letters are kept: `DLQ#<queue>` in the table whose items run out by themselves."""

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write
from chalicelib.core.clock import Clock, parse_rfc3339
from chalicelib.core.ids import sha256_hex

# As long as a queue could keep them.
_RETENTION: Final = dt.timedelta(days=14)


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A message that was given up: where it was meant to go, why it was not worked off there,
    and what became of what it stood for.
    """  # noqa: D205 -- one sentence

    queue: str
    id: str
    body: str
    reason: str
    outcome: str
    sent_at: str
    recorded_at: str


class DeadLetters:
    """The dead letters of each queue, one for each body, oldest first."""

    def __init__(self, tables: Tables, table: str, clock: Clock) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table
        self._clock = clock

    def save(self, letter: DeadLetter) -> None:
        """Keep a letter; kept again, it is the same one."""
        gone = parse_rfc3339(letter.recorded_at) + _RETENTION
        item = asdict(letter) | _key(letter) | {"ttl": int(gone.timestamp())}
        self._tables.write(Write(self._table, item=item))

    def of_queue(self, queue: str) -> Iterator[DeadLetter]:
        """Yield the letters of one queue."""
        yield from sorted(self._unexpired(queue), key=lambda letter: letter.sent_at)

    def _unexpired(self, queue: str) -> Iterator[DeadLetter]:
        now_s = int(self._clock.now().timestamp())
        start: Item | None = None
        while True:
            page = self._tables.query(self._table, "PK = :pk", {":pk": f"DLQ#{queue}"}, start=start)
            for item in page.items:
                if item["ttl"] > now_s:
                    yield DeadLetter(**{name: item[name] for name in DeadLetter.__slots__})
            start = page.last_evaluated_key
            if start is None:
                return

    def delete(self, letter: DeadLetter) -> None:
        """Remove a letter; one that has come back meanwhile, with another id, stays."""
        write = Write(
            self._table,
            key=_key(letter),
            condition="id = :id",
            values={":id": letter.id},
        )
        with suppress(ConditionFailed):
            self._tables.write(write)


def _key(letter: DeadLetter) -> Item:
    # What fails again and again is one letter.
    return {"PK": f"DLQ#{letter.queue}", "SK": sha256_hex(letter.body.encode())}
