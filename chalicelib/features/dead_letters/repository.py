"""Where dead letters are kept: `DLQ#<queue>` in the table whose items run out by themselves."""

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write
from chalicelib.core.clock import Clock, parse_rfc3339
from chalicelib.core.crypto import sha256_hex
from chalicelib.features.dead_letters.model import DeadLetter

# As long as a queue could keep them.
_KEPT: Final = dt.timedelta(days=14)


class DeadLetters:
    """The dead letters of each queue, one for each body, oldest first."""

    def __init__(self, tables: Tables, table: str, clock: Clock) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table
        self._clock = clock

    def keep(self, letter: DeadLetter) -> None:
        """Keep a letter; kept again, it is the same one."""
        gone = parse_rfc3339(letter.buried_at) + _KEPT
        item = asdict(letter) | _key(letter) | {"ttl": int(gone.timestamp())}
        self._tables.write(Write(self._table, item=item))

    def of(self, queue: str) -> Iterator[DeadLetter]:
        """Yield the letters of one queue."""
        yield from sorted(self._kept(queue), key=lambda letter: letter.sent_at)

    def _kept(self, queue: str) -> Iterator[DeadLetter]:
        now_s = int(self._clock.now().timestamp())
        start: Item | None = None
        while True:
            page = self._tables.query(self._table, "PK = :pk", {":pk": f"DLQ#{queue}"}, start=start)
            for item in page.items:
                if item["ttl"] > now_s:
                    yield DeadLetter(**{name: item[name] for name in DeadLetter.__slots__})
            start = page.last_key
            if start is None:
                return

    def forget(self, letter: DeadLetter) -> None:
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
