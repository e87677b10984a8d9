"""Rate of a connection: one GCRA time for all functions that send with it."""

import datetime as dt
from collections.abc import Mapping
from typing import Final, cast

from chalicelib.adapters.aws.table import ConditionFailed, Row, Table, Write
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import connections_partition

# Who would have to wait longer takes no slot, and asks again.
LONGEST_WAIT: Final = dt.timedelta(minutes=10)
_MICROSECOND: Final = dt.timedelta(microseconds=1)
_SECOND_US: Final = 1_000_000
_KEPT_S: Final = 86_400


class SendRate:
    """Slots of each connection, `max_per_second` in a second."""

    def __init__(self, table: Table) -> None:
        """Keep the times in this table."""
        self._table = table
        # As it was last seen: which of two writes will not be refused.
        self._next_us: dict[str, int] = {}

    def take_slot(self, connection: EmailConnection, now: dt.datetime) -> dt.timedelta | None:
        """Take the next slot of a connection and return the time until it begins.

        If it is further away than LONGEST_WAIT, take none and return None.
        """
        now_us = round(now.timestamp() * _SECOND_US)
        step_us = _SECOND_US // cast("int", connection.config["max_per_second"])
        latest_us = now_us + LONGEST_WAIT // _MICROSECOND
        while True:
            is_idle = self._next_us.get(connection.id, 0) < now_us
            try:
                if is_idle:
                    row = self._write(
                        connection,
                        "SET next_us = :next, #ttl = :ttl",
                        "attribute_not_exists(next_us) OR next_us < :now",
                        {":next": now_us + step_us, ":now": now_us},
                    )
                else:
                    row = self._write(
                        connection,
                        "SET next_us = next_us + :step, #ttl = :ttl",
                        "next_us BETWEEN :now AND :latest",
                        {":step": step_us, ":now": now_us, ":latest": latest_us},
                    )
            except ConditionFailed as refused:
                next_us = 0 if refused.item is None else refused.item["next_us"]
                self._next_us[connection.id] = next_us
                if next_us > latest_us:
                    return None
            else:
                self._next_us[connection.id] = row["next_us"]
                wait_us: int = row["next_us"] - step_us - now_us
                return wait_us * _MICROSECOND

    def _write(
        self,
        connection: EmailConnection,
        update: str,
        condition: str,
        values: Mapping[str, int],
    ) -> Row:
        key = {"PK": connections_partition(connection.workspace_id), "SK": f"RATE#{connection.id}"}
        row = self._table.write(
            Write(
                self._table,
                key=key,
                update=update,
                condition=condition,
                names={"#ttl": "ttl"},
                values={**values, ":ttl": values[":now"] // _SECOND_US + _KEPT_S},
            )
        )
        assert row is not None
        return row
