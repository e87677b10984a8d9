"""Count renders by day: a listener of their final facts.

`WS#<ws>#USE#<year-month>` has items `DAY#<date>#<shard>`, several for one day, since transactions
on a single one would stand in each other's way.
"""

from collections.abc import Sequence
from typing import Final

from chalicelib.adapters.aws.table import Write
from chalicelib.features.facts.model import Heard

_SHARDS: Final = 8
_COUNTED: Final = {"render.succeeded", "render.failed", "render.canceled"}


class CountUsage:
    """Adds each final render to the statistics of its workspace's day."""

    def __init__(self, table: str) -> None:
        """Keep them in this table."""
        self._table = table

    def __call__(self, heard: Heard) -> Sequence[Write]:
        """Return the write that counts a final render."""
        if heard.fact.type not in _COUNTED:
            return ()
        day = heard.fact.created_at[:10]
        mode = "test" if heard.row["test"] else "live"
        shard = ord(heard.fact.id[-1]) % _SHARDS
        return (
            Write(
                self._table,
                key={
                    "PK": f"WS#{heard.fact.workspace_id}#USE#{day[:7]}",
                    "SK": f"DAY#{day}#{shard}",
                },
                update="ADD #counter :one, billed :billed",
                names={"#counter": f"{mode}_{heard.fact.type.removeprefix('render.')}"},
                values={":one": 1, ":billed": int(heard.row["billed"])},
            ),
        )
