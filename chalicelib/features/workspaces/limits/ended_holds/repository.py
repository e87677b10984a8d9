"""Totals of ended holds that the rows of their holders held: counted by the relay (decision 2).

`WS#<ws>#LIM` has items `ENDED#<source>#<shard>` with the counters `used` and `returned`. They are
written in the transaction that publishes the end, and only grow. A source has several shards
because parallel transactions on one item conflict.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.workspaces.limits.admission import schedule_reconciliation
from chalicelib.features.workspaces.limits.item.update import LimitsUpdate, LimitsUpdateBuilder
from chalicelib.features.workspaces.limits.model import NOTHING, PREPAID, Hold, limits_partition

_SHARDS: Final = 8


class EndedTotals(NamedTuple):
    """Renders of ended holds of one source: billed ones, and those given back."""

    used: int
    returned: int


class EndedHolds(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Totals of all workspaces."""

    table: Table

    def increments(
        self, workspace_id: WorkspaceId, event_id: str, ended: Iterable[tuple[Hold, bool]]
    ) -> Sequence[Write]:
        """Return the writes that count ended holds, each with whether it was billed.

        A repeated call for the same event writes to the same shard.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for hold, billed in ended:
            if hold.source != NOTHING:
                counts[hold.source, "used" if billed else "returned"] += hold.renders
        shard = ord(event_id[-1]) % _SHARDS
        return [
            Write(
                self.table,
                key={
                    "PK": limits_partition(workspace_id),
                    "SK": f"{_sort_key_prefix(source)}{shard}",
                },
                update="ADD used :used, returned :returned",
                values={":used": counts[source, "used"], ":returned": counts[source, "returned"]},
            )
            for source in sorted({source for source, _ in counts})
        ]

    def totals(self, workspace_id: WorkspaceId, source: str) -> EndedTotals:
        """Return the totals of a source."""
        page = self.table.query(
            "PK = :pk AND begins_with(SK, :prefix)",
            {":pk": limits_partition(workspace_id), ":prefix": _sort_key_prefix(source)},
            consistent=True,
        )
        return EndedTotals(
            sum(row["used"] for row in page.items), sum(row["returned"] for row in page.items)
        )


def plan_fold(source: str, totals: EndedTotals, seen: Row, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that folds totals into the limits item; None if it contains them.

    `totals` must be read after `seen`. Totals only grow, and the update requires the totals that
    were folded last, so each end counts once. The item is due afterwards, as thresholds may be
    reached.
    """
    if source == PREPAID:
        return _fold({"folded_prepaid": ("prepaid_left", totals.returned)}, seen, now)
    if source != seen["cycle_end"]:
        # The allowance of an earlier cycle is gone.
        return None
    counters = {
        "folded_used": ("used", totals.used),
        "folded_returned": ("quota_left", totals.returned),
    }
    return _fold(counters, seen, now, cycle_end=source)


def _fold(
    counters: dict[str, tuple[str, int]],
    seen: Row,
    now: dt.datetime,
    cycle_end: str | None = None,
) -> LimitsUpdate | None:
    more = {name: total - seen[name] for name, (_, total) in counters.items()}
    if not any(more.values()):
        return None
    builder = LimitsUpdateBuilder()
    for name, (counter, total) in counters.items():
        builder.sets += [f"{counter} = {counter} + :more_{name}", f"{name} = :{name}"]
        builder.conditions.append(f"{name} = :seen_{name}")
        builder.values |= {
            f":more_{name}": more[name],
            f":{name}": total,
            f":seen_{name}": seen[name],
        }
    if cycle_end is not None:
        builder.conditions.append("cycle_end = :cycle_end")
        builder.values[":cycle_end"] = cycle_end
    schedule_reconciliation(builder, seen["PK"], now)
    return builder.build()


def _sort_key_prefix(source: str) -> str:
    return f"ENDED#{source}#"
