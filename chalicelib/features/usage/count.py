"""Count of renders by day: a subscriber of their final events.

`WS#<ws>#USE#<year-month>` has items `DAY#<date>#<shard>`. A day has several shards because parallel
transactions on one item conflict. Each has the counters `<mode>_<status>`, `billed` and
`f#<format>#<kind>`; kind is `live`, `test` or `failed`. The counters of a template,
`t#<template>#<kind>`, have items `DAY#<date>#<shard>#<template>`: one item cannot hold the counters
of all templates of a workspace.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, override

from chalicelib.adapters.aws.table import Row, Tables, Write
from chalicelib.core.clock import Clock
from chalicelib.core.ids import WorkspaceId, id_created_at
from chalicelib.features.events.model import EventDelivery, Subscriber

DAY_SHARDS: Final = 8
# Fewer than DAY_SHARDS: one request reads a year of them for many templates.
_TEMPLATE_SHARDS: Final = 4

# A step no longer than the shortest month, so that no month is skipped.
_MONTH: Final = dt.timedelta(days=28)

type ReadFormats = Callable[[Row], Sequence[str]]


class CountUsage(Subscriber):
    """Subscriber that adds each final render to its workspace's statistics."""

    types = frozenset({"render.succeeded", "render.failed", "render.canceled"})

    def __init__(self, table: str, formats: ReadFormats) -> None:
        """Write to `table`; `formats` returns the file formats of a render's row."""
        self._table = table
        self._formats = formats

    @override
    def writes(
        self, deliveries: Sequence[EventDelivery], plans: Mapping[str, object]
    ) -> Sequence[Write]:
        """Return the writes that count final renders of one workspace."""
        # The shard does not matter: the events are published once, together with these writes.
        number = ord(deliveries[0].event.id[-1])
        counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for delivery in deliveries:
            day = delivery.event.created_at[:10]
            mode = "test" if delivery.subject_row["test"] else "live"
            status = delivery.event.type.removeprefix("render.")
            kind = {"succeeded": mode, "failed": "failed"}.get(status)
            formats = self._formats(delivery.subject_row) if kind else ()
            partition = usage_partition(delivery.event.workspace_id, day[:7])
            counters = counts[partition, f"DAY#{day}#{number % DAY_SHARDS}"]
            # Renders are counted, and not the files of a format.
            names = dict.fromkeys(formats)
            counters.update([f"{mode}_{status}", *(f"f#{name}#{kind}" for name in names)])
            counters["billed"] += int(delivery.subject_row["billed"])
            template = delivery.subject_row.get("template_id") if kind else None
            if template is not None:
                shard = f"DAY#{day}#{number % _TEMPLATE_SHARDS}#{template}"
                counts[partition, shard][f"t#{template}#{kind}"] += 1
        return [self._increment(*key, counters) for key, counters in counts.items()]

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
    """Return the partition of a month (`2026-01`)."""
    return f"WS#{workspace_id}#USE#{month}"


class EraseUsage:
    """Eraser of a workspace's statistics; idempotent."""

    def __init__(self, *, tables: Tables, table: str, clock: Clock) -> None:
        """Delete from `table`."""
        self._tables = tables
        self._table = table
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase the counts month by month; yield after each step."""
        # One step more at each end, as clocks differ.
        day, end = id_created_at(workspace_id) - _MONTH, self._clock.now() + _MONTH
        months = set()
        while day <= end:
            months.add(f"{day:%Y-%m}")
            day += _MONTH
        for month in sorted(months):
            yield from self._tables.delete_partition_in_steps(
                self._table, usage_partition(workspace_id, month)
            )
