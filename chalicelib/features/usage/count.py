"""Count renders by day: a listener of their final facts.

`WS#<ws>#USE#<year-month>` has items `DAY#<date>#<shard>`, several for one day, since transactions
on a single one would stand in each other's way. Beside `<mode>_<status>` and `billed` they have
`f#<format>#<kind>` and `t#<template>#<kind>`, kind being `live`, `test` or `failed`: short names,
for an item holds some 10 000 of them.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from chalicelib.adapters.aws.table import Write
from chalicelib.features.facts.model import Heard

SHARDS: Final = 8
_COUNTED: Final = {"render.succeeded", "render.failed", "render.canceled"}

type Formats = Callable[[Mapping[str, Any]], Sequence[str]]


class CountUsage:
    """Adds each final render to the statistics of its workspace's day."""

    def __init__(self, table: str, formats: Formats) -> None:
        """Keep them in this table; `formats` reads off a render's row which files it has."""
        self._table = table
        self._formats = formats

    def __call__(self, heard: Heard) -> Sequence[Write]:
        """Return the write that counts a final render."""
        if heard.fact.type not in _COUNTED:
            return ()
        day = heard.fact.created_at[:10]
        mode = "test" if heard.row["test"] else "live"
        status = heard.fact.type.removeprefix("render.")
        counters = [f"{mode}_{status}"]
        if status != "canceled":
            kind = "failed" if status == "failed" else mode
            counters += [f"{group}#{kind}" for group in self._groups(heard.row)]
        names = {f"#c{n}": counter for n, counter in enumerate(counters)}
        shard = ord(heard.fact.id[-1]) % SHARDS
        return (
            Write(
                self._table,
                key={"PK": partition(heard.fact.workspace_id, day[:7]), "SK": f"DAY#{day}#{shard}"},
                update="ADD billed :billed, " + ", ".join(f"{name} :one" for name in names),
                names=names,
                values={":one": 1, ":billed": int(heard.row["billed"])},
            ),
        )

    def _groups(self, row: Mapping[str, Any]) -> list[str]:
        groups = [f"f#{name}" for name in self._formats(row)]
        template = row["template_id"]
        return [*groups, f"t#{template}"] if template is not None else groups


def partition(workspace_id: str, month: str) -> str:
    """Return where the days of a month (`2026-01`) stand."""
    return f"WS#{workspace_id}#USE#{month}"
