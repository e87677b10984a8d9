"""Repository of tests that run: the row `TEST` of a partition, one at a time."""

from contextlib import suppress
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed, Table, Write

# A test ends after 15 s, and the function that does it after 25 s.
_LEASE_S: Final = 30


class RunningTrials(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Tests of all workspaces and kinds."""

    table: Table

    def begin(self, partition: str, now: int) -> int:
        """Mark that a test runs, and return when its mark runs out.

        Raises ConditionFailed while another one runs.
        """
        ends_at = now + _LEASE_S
        self.table.write(
            Write(
                self.table,
                item={**_key(partition), "ends_at": ends_at},
                condition="attribute_not_exists(PK) OR ends_at <= :now",
                values={":now": now},
            )
        )
        return ends_at

    def end(self, partition: str, ends_at: int) -> None:
        """Remove the mark of a test, unless it has passed to another one."""
        removal = Write(
            self.table,
            key=_key(partition),
            condition="ends_at = :ends_at",
            values={":ends_at": ends_at},
        )
        with suppress(ConditionFailed):
            self.table.write(removal)


def _key(partition: str) -> dict[str, str]:
    return {"PK": partition, "SK": "TEST"}
