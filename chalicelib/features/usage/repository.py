"""Repository of statistics of renders by day.

`WS#<ws>#USE#<year-month>` has items `DAY#<date>#<shard>`. A day has several shards because parallel
transactions on one item conflict. Each has the counters `<mode>_<status>`, `billed` and
`f#<format>#<kind>`; kind is `live`, `test` or `failed`. The counters of a template,
`t#<template>#<kind>`, have items `DAY#<date>#<shard>#<template>`: one item cannot hold the counters
of all templates of a workspace.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Final

from chalicelib.adapters.aws.query_all import query_all
from chalicelib.adapters.aws.table import Row, Table, Write

DAY_SHARDS: Final = 8
# Fewer than DAY_SHARDS: one request reads a year of them for many templates.
TEMPLATE_SHARDS: Final = 4


def usage_partition(workspace_id: str, month: str) -> str:
    """Return the partition of a month (`2026-01`)."""
    return f"WS#{workspace_id}#USE#{month}"


def increment(table: Table, partition: str, sort_key: str, counts: Mapping[str, int]) -> Write:
    """Return the write that adds counts to the counters of an item."""
    numbered = dict(enumerate(counts))
    return Write(
        table,
        key={"PK": partition, "SK": sort_key},
        update="ADD " + ", ".join(f"#c{n} :c{n}" for n in numbered),
        names={f"#c{n}": counter for n, counter in numbered.items()},
        values={f":c{n}": counts[counter] for n, counter in numbered.items()},
    )


def day_rows(table: Table, partition: str, first: dt.date, last: dt.date) -> Iterator[Row]:
    """Yield the items of the days of a month from `first` to `last`."""
    # Only DynamoDB's page size of 1 MB limits a page: these items are small.
    return query_all(
        table,
        "PK = :pk AND SK BETWEEN :first AND :last",
        {":pk": partition, ":first": f"DAY#{first}#", ":last": f"DAY#{last}#~"},
        limit=10_000,
    )
