"""Count of renders by day: a subscriber of their final events."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import override

import msgspec

from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.features.events.model import EventDelivery, Subscriber
from chalicelib.features.usage.repository import (
    DAY_SHARDS,
    TEMPLATE_SHARDS,
    increment,
    usage_partition,
)

type ReadFormats = Callable[[Row], Sequence[str]]


class CountUsage(Subscriber, msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Subscriber that adds each final render to its workspace's statistics.

    `formats` returns the file formats of a render's row.
    """

    types = frozenset({"render.succeeded", "render.failed", "render.canceled"})

    table: Table
    formats: ReadFormats

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
            formats = self.formats(delivery.subject_row) if kind else ()
            partition = usage_partition(delivery.event.workspace_id, day[:7])
            counters = counts[partition, f"DAY#{day}#{number % DAY_SHARDS}"]
            # Renders are counted, and not the files of a format.
            names = dict.fromkeys(formats)
            counters.update([f"{mode}_{status}", *(f"f#{name}#{kind}" for name in names)])
            counters["billed"] += int(delivery.subject_row["billed"])
            template = delivery.subject_row.get("template_id") if kind else None
            if template is not None:
                shard = f"DAY#{day}#{number % TEMPLATE_SHARDS}#{template}"
                counts[partition, shard][f"t#{template}#{kind}"] += 1
        return [increment(self.table, *key, counters) for key, counters in counts.items()]
