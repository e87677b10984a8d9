"""Count renders by day: a listener of their final facts.

`WS#<ws>#USE#<year-month>` has items `DAY#<date>#<shard>`, several for one day, since transactions
on a single one would stand in each other's way. Beside `<mode>_<status>` and `billed` they have
`f#<format>#<kind>`, kind being `live`, `test` or `failed`. What is counted of a template,
`t#<template>#<kind>`, has items of its own, `DAY#<date>#<shard>#<template>`: of all templates of a
workspace one item has no room.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from chalicelib.adapters.aws.table import Tables, Write
from chalicelib.core.clock import Clock
from chalicelib.core.ids import WorkspaceId, id_created_at
from chalicelib.features.events.model import EventDelivery

DAY_SHARDS: Final = 8
# A year of them is read at once, and a workspace has many templates.
_TEMPLATE_SHARDS: Final = 4
_COUNTED_EVENTS: Final = {"render.succeeded", "render.failed", "render.canceled"}

type ReadFormats = Callable[[Mapping[str, Any]], Sequence[str]]


class CountUsage:
    """Adds each final render to the statistics of its workspace's day."""

    def __init__(self, table: str, formats: ReadFormats) -> None:
        """Keep them in this table; `formats` reads off a render's row which files it has."""
        self._table = table
        self._formats = formats

    def __call__(self, delivery: EventDelivery) -> Sequence[Write]:
        """Return the writes that count a final render."""
        if delivery.event.type not in _COUNTED_EVENTS:
            return ()
        day = delivery.event.created_at[:10]
        mode = "test" if delivery.subject_row["test"] else "live"
        status = delivery.event.type.removeprefix("render.")
        kind = {"succeeded": mode, "failed": "failed"}.get(status)
        formats = self._formats(delivery.subject_row) if kind else ()
        counters = [f"{mode}_{status}", *(f"f#{name}#{kind}" for name in formats)]
        template = delivery.subject_row["template_id"] if kind else None
        number = ord(delivery.event.id[-1])
        shard = f"DAY#{day}#{number % DAY_SHARDS}"
        place = usage_partition(delivery.event.workspace_id, day[:7])
        billed = int(delivery.subject_row["billed"])
        writes = [self._increment(place, shard, dict.fromkeys(counters, 1) | {"billed": billed})]
        if template is not None:
            counted = {f"t#{template}#{kind}": 1}
            shard = f"DAY#{day}#{number % _TEMPLATE_SHARDS}"
            writes.append(self._increment(place, f"{shard}#{template}", counted))
        return writes

    def _increment(self, partition_key: str, sort_key: str, counts: Mapping[str, int]) -> Write:
        numbered = dict(enumerate(counts))
        return Write(
            self._table,
            key={"PK": partition_key, "SK": sort_key},
            update="ADD " + ", ".join(f"#c{n} :c{n}" for n in numbered),
            names={f"#c{n}": counter for n, counter in numbered.items()},
            values={f":c{n}": counts[counter] for n, counter in numbered.items()},
        )


def usage_partition(workspace_id: str, month: str) -> str:
    """Return where the days of a month (`2026-01`) stand."""
    return f"WS#{workspace_id}#USE#{month}"


_MONTH: Final = dt.timedelta(days=28)


class EraseUsage:
    """Repeatable."""

    def __init__(self, *, tables: Tables, table: str, clock: Clock) -> None:
        """Delete from this table."""
        self._tables = tables
        self._table = table
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase one month after the other, some days of a month at each step."""
        # A day to either side: clocks differ.
        day, end = id_created_at(workspace_id) - _MONTH, self._clock.now() + _MONTH
        months = set()
        while day <= end:
            months.add(f"{day:%Y-%m}")
            day += _MONTH
        for month in sorted(months):
            yield from self._tables.delete_partition_in_steps(
                self._table, usage_partition(workspace_id, month)
            )
