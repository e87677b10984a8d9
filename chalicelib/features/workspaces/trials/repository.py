"""Repository of tests that run: the row `TEST` of a partition, one at a time."""

from contextlib import suppress
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write

# A test ends after 15 s, and the function that does it after 25 s.
_LEASE_S: Final = 30


class RunningTrials:
    """Tests of all workspaces and kinds."""

    def __init__(self, table: Table) -> None:
        """Mark tests that run in `table`."""
        self._table = table

    def begin(self, partition: str, now: int) -> int:
        """Mark that a test runs, and return when its mark runs out.

        Raises ConditionFailed while another one runs.
        """
        ends_at = now + _LEASE_S
        self._table.write(
            Write(
                self._table,
                item={**_key(partition), "ends_at": ends_at},
                condition="attribute_not_exists(PK) OR ends_at <= :now",
                values={":now": now},
            )
        )
        return ends_at

    def end(self, partition: str, ends_at: int) -> None:
        """Remove the mark of a test, unless it has passed to another one."""
        removal = Write(
            self._table,
            key=_key(partition),
            condition="ends_at = :ends_at",
            values={":ends_at": ends_at},
        )
        with suppress(ConditionFailed):
            self._table.write(removal)


def _key(partition: str) -> dict[str, str]:
    return {"PK": partition, "SK": "TEST"}
