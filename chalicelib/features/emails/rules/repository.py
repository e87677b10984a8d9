"""Repository of email rules: rows in the partition of the connections, `WS#<ws>#EMC`.

A rule's order among those of its template is in the template's row. Its texts are JSON in pieces:
the first in the rule's row, others in rows of their own, since an item holds 400 KB (decision 43).
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import batched
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, ConditionFailed, Row, Table, Write
from chalicelib.core import json
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import ConnectionId, EmailRuleId, WorkspaceId, is_id
from chalicelib.features.emails.connections.repository import (
    connections_partition,
    contention_error,
)
from chalicelib.features.emails.rules.model import StoredRule

MAX_RULES: Final = 5
# A character has four bytes at most, so a piece fits into an item of 400 KB.
_PIECE_CHARACTERS: Final = 90_000
# A rule may be changed between the reads of its row and of its further pieces.
_MAX_TRIES: Final = 5
_UNCHANGED: Final = "changes = :changes"


class StoredRules(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Email rules of all workspaces."""

    table: Table

    def one(self, workspace_id: WorkspaceId, rule_id: str) -> StoredRule:
        """Return a rule; raises `not_found`."""
        found = self.many(workspace_id, [EmailRuleId(rule_id)]) if is_id("emr", rule_id) else []
        if not found:
            raise NotFound("not_found", f"There is no email rule {rule_id[:64]}.")
        return found[0]

    def many(self, workspace_id: WorkspaceId, ids: Sequence[EmailRuleId]) -> list[StoredRule]:
        """Return the existing ones of a few rules, in this order."""
        for is_last in (*[False] * _MAX_TRIES, True):
            rows = self._rows(workspace_id, ids)
            further = [name for row in rows for name in _piece_names(row)]
            pieces = {row["SK"]: row["piece"] for row in self._rows(workspace_id, further)}
            if is_last or len(pieces) == len(further):
                return [_rule_of(row, pieces) for row in rows]
        raise AssertionError

    def creation(self, rule: StoredRule) -> list[Write]:
        """Return the writes of a new rule."""
        row, *pieces = self._items(rule)
        condition = "attribute_not_exists(PK)"
        return [Write(self.table, item=row, condition=condition), *self._puts(pieces)]

    def replacement(self, before: StoredRule, after: StoredRule) -> list[Write]:
        """Return the writes of a changed rule; the first fails if it was changed meanwhile."""
        row, *pieces = self._items(after)
        write = Write(
            self.table, item=row, condition=_UNCHANGED, values={":changes": before.changes}
        )
        return [write, *self._puts(pieces), *self._piece_removals(before)]

    def removal(self, rule: StoredRule) -> list[Write]:
        """Return the writes that delete a rule; the first fails if it was changed meanwhile."""
        key = {"PK": connections_partition(rule.workspace_id), "SK": rule.id}
        removal = Write(
            self.table, key=key, condition=_UNCHANGED, values={":changes": rule.changes}
        )
        return [removal, *self._piece_removals(rule)]

    def use(self, workspace_id: WorkspaceId, connection_id: ConnectionId, more: int) -> Write:
        """Return the write that counts rules of a connection, which must exist."""
        return Write(
            self.table,
            key={"PK": connections_partition(workspace_id), "SK": connection_id},
            # `changes` too: a change replaces the whole row.
            update="SET rule_count = if_not_exists(rule_count, :none) + :more, "
            "changes = changes + :one",
            condition="attribute_exists(PK)",
            values={":none": 0, ":more": more, ":one": 1},
        )

    def erase(self, workspace_id: WorkspaceId, ids: Sequence[EmailRuleId]) -> None:
        """Delete the rules of a template that is purged; raises `conflict`."""
        for rule_id in ids:
            for _ in range(_MAX_TRIES):
                found = self.many(workspace_id, [rule_id])
                if not found:
                    break
                use = self.use(workspace_id, found[0].connection_id, -1)
                with suppress(ConditionFailed):
                    self.table.transact([*self.removal(found[0]), use])
            else:
                raise contention_error()

    def _rows(self, workspace_id: WorkspaceId, names: Sequence[str]) -> list[Row]:
        pk = connections_partition(workspace_id)
        return [
            row
            for some in batched(names, BATCH_GET_LIMIT, strict=False)
            for row in self.table.get_many([(pk, name) for name in some])
        ]

    def _items(self, rule: StoredRule) -> list[Row]:
        """Return the row of a rule, and those of its further pieces."""
        text = json.dumps(rule.texts)
        first, *others = (
            text[start : start + _PIECE_CHARACTERS]
            for start in range(0, len(text), _PIECE_CHARACTERS)
        )
        pk = connections_partition(rule.workspace_id)
        stored = {name: it for name, it in rule._asdict().items() if name != "texts"}
        row = {"PK": pk, "SK": rule.id, **stored, "texts": first, "further_pieces": len(others)}
        names = _piece_names(row)
        return [
            row,
            *(
                {"PK": pk, "SK": name, "piece": piece}
                for name, piece in zip(names, others, strict=True)
            ),
        ]

    def _puts(self, items: Sequence[Row]) -> list[Write]:
        return [Write(self.table, item=item) for item in items]

    def _piece_removals(self, rule: StoredRule) -> list[Write]:
        row, *_ = self._items(rule)
        return [Write(self.table, key={"PK": row["PK"], "SK": name}) for name in _piece_names(row)]


def _piece_names(row: Row) -> list[str]:
    """Return the sort keys of a rule's further pieces; each change has new ones."""
    return [f"{row['id']}#{row['changes']}#{n}" for n in range(row["further_pieces"])]


def _rule_of(row: Row, pieces: Mapping[str, str]) -> StoredRule:
    text = "".join([row["texts"], *(pieces[name] for name in _piece_names(row))])
    fields = {name: row[name] for name in StoredRule._fields if name != "texts"}
    return StoredRule(**fields, texts=json.loads_own(text))
