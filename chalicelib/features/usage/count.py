"""Count renders by day: a listener of their final facts.

`WS#<ws>#USE#<year-month>` has items `DAY#<date>#<shard>`, several for one day, since transactions
on a single one would stand in each other's way. Beside `<mode>_<status>` and `billed` they have
`f#<format>#<kind>`, kind being `live`, `test` or `failed`. What is counted of a template,
`t#<template>#<kind>`, has items of its own, `DAY#<date>#<shard>#<template>`: of all templates of a
workspace one item has no room.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from chalicelib.adapters.aws.table import Write
from chalicelib.features.facts.model import Heard

SHARDS: Final = 8
# A year of them is read at once, and a workspace has many templates.
_SHARDS_OF_TEMPLATE: Final = 4
_COUNTED: Final = {"render.succeeded", "render.failed", "render.canceled"}

type Formats = Callable[[Mapping[str, Any]], Sequence[str]]


class CountUsage:
    """Adds each final render to the statistics of its workspace's day."""

    def __init__(self, table: str, formats: Formats) -> None:
        """Keep them in this table; `formats` reads off a render's row which files it has."""
        self._table = table
        self._formats = formats

    def __call__(self, heard: Heard) -> Sequence[Write]:
        """Return the writes that count a final render."""
        if heard.fact.type not in _COUNTED:
            return ()
        day = heard.fact.created_at[:10]
        mode = "test" if heard.row["test"] else "live"
        status = heard.fact.type.removeprefix("render.")
        kind = {"succeeded": mode, "failed": "failed"}.get(status)
        formats = self._formats(heard.row) if kind else ()
        counters = [f"{mode}_{status}", *(f"f#{name}#{kind}" for name in formats)]
        template = heard.row["template_id"] if kind else None
        number = ord(heard.fact.id[-1])
        shard = f"DAY#{day}#{number % SHARDS}"
        place = partition(heard.fact.workspace_id, day[:7])
        billed = int(heard.row["billed"])
        writes = [self._adding(place, shard, dict.fromkeys(counters, 1) | {"billed": billed})]
        if template is not None:
            counted = {f"t#{template}#{kind}": 1}
            shard = f"DAY#{day}#{number % _SHARDS_OF_TEMPLATE}"
            writes.append(self._adding(place, f"{shard}#{template}", counted))
        return writes

    def _adding(self, place: str, name: str, counts: Mapping[str, int]) -> Write:
        numbered = dict(enumerate(counts))
        return Write(
            self._table,
            key={"PK": place, "SK": name},
            update="ADD " + ", ".join(f"#c{n} :c{n}" for n in numbered),
            names={f"#c{n}": counter for n, counter in numbered.items()},
            values={f":c{n}": counts[counter] for n, counter in numbered.items()},
        )


def partition(workspace_id: str, month: str) -> str:
    """Return where the days of a month (`2026-01`) stand."""
    return f"WS#{workspace_id}#USE#{month}"
