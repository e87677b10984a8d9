"""Transactions that are refused change nothing in the in-process AWS, as its patches undo them."""

import pytest

from chalicelib.adapters.aws.table import ConditionFailed, Row, Write
from tests.builders.service import Service

OLD: Row = {"PK": "A", "SK": "1", "text": "old", "parts": {"a": [1]}}


def rows_of(service: Service, pk: str) -> list[Row]:
    page = service.main_table.query("PK = :p", {":p": pk})
    return page.items


def test_refused_transaction_changes_nothing(service: Service) -> None:
    table = service.main_table
    table.write(Write(table, item=OLD))
    table.write(Write(table, item=OLD | {"SK": "2"}))
    changed = "SET #t = :new, #p.#a[0] = :two"
    names = {"#t": "text", "#p": "parts", "#a": "a"}

    with pytest.raises(ConditionFailed):
        table.transact(
            [
                Write(
                    table,
                    key={"PK": "A", "SK": "1"},
                    update=changed,
                    names=names,
                    values={":new": "new", ":two": 2},
                ),
                Write(table, item=OLD | {"SK": "2", "text": "put"}),
                Write(table, item=OLD | {"SK": "3"}),
                Write(table, item=OLD | {"SK": "4"}, condition="attribute_exists(PK)"),
            ]
        )

    assert rows_of(service, "A") == [OLD, OLD | {"SK": "2"}]


def test_item_that_was_deleted_is_there_after_a_refusal(service: Service) -> None:
    table = service.main_table
    table.write(Write(table, item=OLD))

    with pytest.raises(ConditionFailed):
        table.transact(
            [
                Write(table, key={"PK": "A", "SK": "1"}),
                Write(table, item=OLD | {"SK": "4"}, condition="attribute_exists(PK)"),
            ]
        )

    assert rows_of(service, "A") == [OLD]
