"""Where facts are kept: `FACT#<id>` beside their subject; due until they are told."""

import datetime as dt
from collections.abc import Iterable
from copy import replace
from typing import Final

from chalicelib.adapters.aws.due import due_shard
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write
from chalicelib.core.clock import parse_rfc3339, rfc3339
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.facts.model import Fact

# A fact is sent at once; one that is not told by then is sent again.
_RESEND_AFTER: Final = dt.timedelta(minutes=1)


class Facts:
    """The facts of all subjects."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table
        self._ahead: dict[tuple[str, str], Item] = {}

    def creation(self, fact: Fact) -> Write:
        """Return the write of a fact, for the transaction of what it tells."""
        due = parse_rfc3339(fact.created_at) + _RESEND_AFTER
        item = fact._asdict() | {
            "PK": fact.subject,
            "SK": fact.sort_key,
            "DPK": due_shard(fact.id),
            "due_at": rfc3339(due),
        }
        return Write(self._table, item=item)

    def create(self, fact: Fact) -> bool:
        """Write a fact by itself; False: it stands there already, told or not."""
        try:
            self._tables.write(replace(self.creation(fact), condition="attribute_not_exists(PK)"))
        except ConditionFailed:
            return False
        return True

    def read_ahead(self, facts: Iterable[tuple[str, str]]) -> None:
        """Read up to 50 facts (subject, sort key) with their subjects in one call, for once."""
        keys = {key for subject, sort_key in facts for key in _both(subject, sort_key)}
        rows = self._tables.get_many(self._table, sorted(keys))
        self._ahead = {(row["PK"], row["SK"]): row for row in rows}

    def with_subject(self, subject: str, sort_key: str) -> tuple[Item | None, Item | None]:
        """Return the row of a fact and its subject's, as they were read ahead or as they are."""
        fact, row = _both(subject, sort_key)
        if fact not in self._ahead or row not in self._ahead:
            self.read_ahead([(subject, sort_key)])
        return self._ahead.pop(fact, None), self._ahead.get(row)

    def of(self, subject: str) -> list[Item]:
        """Return the rows of a subject's facts; it has few."""
        values = {":subject": subject, ":facts": "FACT#"}
        condition = "PK = :subject AND begins_with(SK, :facts)"
        return self._tables.query(self._table, condition, values).items

    def telling(self, fact: Fact, at: str) -> Write:
        """Return the write that marks a fact told; it is refused where somebody was first."""
        return Write(
            self._table,
            key={"PK": fact.subject, "SK": fact.sort_key},
            update="SET told_at = :at REMOVE due_at, DPK",
            condition="attribute_exists(PK) AND attribute_not_exists(told_at)",
            values={":at": at},
        )


def _both(subject: str, sort_key: str) -> tuple[tuple[str, str], tuple[str, str]]:
    return (subject, sort_key), (subject, "META")


def fact_of(item: Item) -> Fact:
    """Read a row."""
    return Fact(
        id=item["id"],
        type=item["type"],
        workspace_id=WorkspaceId(item["workspace_id"]),
        subject=item["PK"],
        request_id=item["request_id"],
        created_at=item["created_at"],
        detail=item.get("detail", {}),
    )
