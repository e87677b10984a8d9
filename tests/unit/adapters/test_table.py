"""Table adapter: requests, responses and retries."""

from collections.abc import Iterator
from typing import Any

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import ANY, Stubber

from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import ConditionFailed, QueryPage, Row, Table, Write

FOUND = {"PK": {"S": "a"}, "SK": {"S": "META"}, "n": {"N": "7"}}
ITEM: Row = {"PK": "a", "SK": "META", "n": 7}
KEY = {"PK": "a", "SK": "META"}


@pytest.fixture
def clients() -> AwsClients:
    clients = AwsClients()
    clients.dynamodb = boto3.client(
        "dynamodb", region_name="us-east-1", aws_access_key_id="t", aws_secret_access_key="t"
    )
    return clients


@pytest.fixture
def stub(clients: AwsClients) -> Iterator[Stubber]:
    with Stubber(clients.dynamodb) as stub:
        yield stub
        stub.assert_no_pending_responses()


@pytest.fixture
def table(clients: AwsClients, stub: Stubber) -> Table:
    assert stub.client is clients.dynamodb
    return Table(clients, "t")


def canceled(*reasons: dict[str, Any]) -> dict[str, Any]:
    return {"modeled_fields": {"CancellationReasons": list(reasons)}}


def refuse_transaction(stub: Stubber, *reasons: dict[str, Any]) -> None:
    stub.add_client_error(
        "transact_write_items",
        "TransactionCanceledException",
        http_status_code=400,
        **canceled(*reasons),
    )


NONE = {"Code": "None"}
CONFLICT = {"Code": "TransactionConflict", "Message": "in the way of another transaction"}
REFUSED = {"Code": "ConditionalCheckFailed", "Item": FOUND}


def test_reading_is_strongly_consistent_and_plain(table: Table, stub: Stubber) -> None:
    nested = {"PK": {"S": "a"}, "SK": {"S": "META"}, "m": {"M": {"l": {"L": [{"N": "1"}]}}}}
    stub.add_response(
        "get_item",
        {"Item": nested},
        {"TableName": "t", "Key": {"PK": {"S": "a"}, "SK": {"S": "META"}}, "ConsistentRead": True},
    )

    item = table.get("a")

    assert item == {"PK": "a", "SK": "META", "m": {"l": [1]}}
    assert type(item["m"]["l"][0]) is int


def test_absent_item_is_none(table: Table, stub: Stubber) -> None:
    stub.add_response("get_item", {})

    assert table.get("a") is None


def test_unprocessed_keys_are_requested_again(table: Table, stub: Stubber) -> None:
    first, second, third = ({"PK": {"S": pk}, "SK": {"S": "META"}} for pk in "abc")
    whole = {"t": {"Keys": [first, second, third], "ConsistentRead": True}}
    rest = {"t": {"Keys": [first], "ConsistentRead": True}}
    stub.add_response(
        "batch_get_item",
        {"Responses": {"t": [third]}, "UnprocessedKeys": rest},
        {"RequestItems": whole},
    )
    stub.add_response(
        "batch_get_item",
        {"Responses": {"t": [first]}, "UnprocessedKeys": {}},
        {"RequestItems": rest},
    )

    items = table.get_many([("a", "META"), ("b", "META"), ("c", "META")])

    assert [item["PK"] for item in items] == ["a", "c"]


def test_fully_unprocessed_batch_is_requested_again(table: Table, stub: Stubber) -> None:
    again = {"t": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "META"}}]}}
    stub.add_response("batch_get_item", {"Responses": {}, "UnprocessedKeys": again})
    stub.add_response("batch_get_item", {"Responses": {"t": [FOUND]}})

    assert table.get_many([("a", "META")]) == [ITEM]


def test_empty_key_list_sends_no_request(table: Table) -> None:
    assert table.get_many([]) == []


def test_query_sends_only_given_parameters(table: Table, stub: Stubber) -> None:
    stub.add_response(
        "query",
        {"Items": [FOUND], "ScannedCount": 3},
        {
            "TableName": "t",
            "KeyConditionExpression": "PK = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "a"}},
            "Limit": 100,
            "ScanIndexForward": True,
        },
    )

    assert table.query("PK = :pk", {":pk": "a"}) == QueryPage([ITEM], 3, None)


def test_query_continues_after_each_page(table: Table, stub: Stubber) -> None:
    last = {"PK": {"S": "a"}, "SK": {"S": "META"}}
    query = {
        "TableName": "t",
        "KeyConditionExpression": "LPK = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "a"}, ":s": {"S": "x"}},
        "IndexName": "lists",
        "FilterExpression": "#s = :s",
        "ExpressionAttributeNames": {"#s": "status"},
        "Limit": 2,
        "ScanIndexForward": False,
    }
    # A filter may leave a page empty although it is not the last one.
    stub.add_response("query", {"Items": [], "ScannedCount": 2, "LastEvaluatedKey": last}, query)
    stub.add_response(
        "query", {"Items": [FOUND], "ScannedCount": 1}, query | {"ExclusiveStartKey": last}
    )

    def page(start: dict[str, Any] | None) -> QueryPage:
        return table.query(
            "LPK = :pk",
            {":pk": "a", ":s": "x"},
            index="lists",
            filter_expression="#s = :s",
            names={"#s": "status"},
            limit=2,
            newest_first=True,
            start=start,
        )

    first = page(None)

    assert first == QueryPage([], 2, KEY)
    assert page(first.last_evaluated_key) == QueryPage([ITEM], 1, None)


def test_put_sends_its_condition_and_returns_none(table: Table, stub: Stubber) -> None:
    stub.add_response(
        "put_item",
        {},
        {
            "TableName": "t",
            "Item": FOUND,
            "ConditionExpression": "attribute_not_exists(PK)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        },
    )

    assert table.write(Write(table, item=ITEM, condition="attribute_not_exists(PK)")) is None


def test_update_returns_the_new_item(table: Table, stub: Stubber) -> None:
    stub.add_response(
        "update_item",
        {"Attributes": FOUND},
        {
            "TableName": "t",
            "Key": {"PK": {"S": "a"}, "SK": {"S": "META"}},
            "UpdateExpression": "SET #n = :n",
            "ExpressionAttributeNames": {"#n": "n"},
            "ExpressionAttributeValues": {":n": {"N": "7"}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
            "ReturnValues": "ALL_NEW",
        },
    )

    update = Write(table, key=KEY, update="SET #n = :n", names={"#n": "n"}, values={":n": 7})

    assert table.write(update) == ITEM


@pytest.mark.parametrize(("cancellation", "item"), [({"Item": FOUND}, ITEM), ({}, None)])
def test_failed_condition_carries_the_stored_item(
    table: Table, stub: Stubber, cancellation: dict[str, Any], item: dict[str, Any] | None
) -> None:
    stub.add_client_error(
        "update_item", "ConditionalCheckFailedException", modeled_fields=cancellation
    )

    with pytest.raises(ConditionFailed) as refused:
        table.write(Write(table, key=KEY, update="SET n = :n", values={":n": 1}))

    assert (refused.value.item, refused.value.index) == (item, 0)


def test_other_write_failures_are_raised(table: Table, stub: Stubber) -> None:
    stub.add_client_error("put_item", "ValidationException")

    with pytest.raises(ClientError, match="ValidationException"):
        table.write(Write(table, item=ITEM))


def test_transaction_puts_and_updates_with_a_client_token(table: Table, stub: Stubber) -> None:
    stub.add_response(
        "transact_write_items",
        {},
        {
            "ClientRequestToken": ANY,
            "TransactItems": [{"Put": ANY}, {"Update": ANY}],
        },
    )

    table.transact(
        [Write(table, item=ITEM), Write(table, key=KEY, update="SET n = :n", values={":n": 1})],
    )


def test_failed_transaction_carries_index_and_stored_item(table: Table, stub: Stubber) -> None:
    refuse_transaction(stub, NONE, REFUSED, NONE)

    with pytest.raises(ConditionFailed) as refused:
        table.transact([Write(table, item=ITEM)] * 3)

    assert (refused.value.item, refused.value.index) == (ITEM, 1)


def test_failed_condition_wins_over_a_conflict(table: Table, stub: Stubber) -> None:
    refuse_transaction(stub, CONFLICT, REFUSED)

    with pytest.raises(ConditionFailed) as refused:
        table.transact([Write(table, item=ITEM)] * 2)

    assert refused.value.index == 1


def test_transaction_conflict_is_retried(table: Table, stub: Stubber) -> None:
    refuse_transaction(stub, NONE, CONFLICT)
    stub.add_response("transact_write_items", {})

    table.transact([Write(table, item=ITEM)] * 2)


def test_permanent_transaction_failure_is_raised(table: Table, stub: Stubber) -> None:
    refuse_transaction(stub, {"Code": "ValidationError", "Message": "no such attribute"})

    with pytest.raises(ClientError, match="TransactionCanceledException"):
        table.transact([Write(table, item=ITEM)])
