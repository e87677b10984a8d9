"""A DynamoDB table: reads, conditional writes and transactions on plain Python values."""

import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

    from chalicelib.adapters.aws.session import AwsClients

Item = dict[str, Any]
BATCH_GET_LIMIT: Final = 100
_TRANSACTION_LIMIT: Final = 100
_TRANSIENT_CODES: Final = {
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}
_RETRY_PAUSES_S: Final = (0.01, 0.03, 0.1, 0.2, 0.4, 0.8)


class ConditionFailed(Exception):  # noqa: N818 -- an ordinary answer: somebody was first
    """A condition did not hold; `item` is what stands there, where the table told it."""

    def __init__(self, item: Item | None, index: int = 0) -> None:
        """Carry the item that was found and the position of the write in its transaction."""
        super().__init__("the condition did not hold")
        self.item = item
        self.index = index

    @property
    def existing_item(self) -> Item:
        """Return the item that stands there, where the condition can fail on no other ground."""
        assert self.item is not None
        return self.item


class Throttled(Exception):  # noqa: N818 -- the table's own answer
    """The table had no room for a call, or for all of its items, in several tries."""


class Write(NamedTuple):
    """One conditional write: an `item` to put, an `update` of `key`, or else its deletion."""

    table: str
    item: Item | None = None
    key: Item | None = None
    update: str | None = None
    condition: str | None = None
    names: Mapping[str, str] = {}
    values: Mapping[str, Any] = {}


class QueryPage(NamedTuple):
    """Some rows of a query, how many were read for them, and where the next ones begin."""

    items: list[Item]
    scanned_count: int
    last_evaluated_key: Item | None


class Tables:
    """The tables of one account; a write that must not happen twice carries a condition."""

    def __init__(self, clients: "AwsClients") -> None:
        """Talk through these clients."""
        self._clients = clients

    def get(self, table: str, pk: str, sk: str = "META") -> Item | None:
        """Read one item, strongly consistent."""
        answer = self._client.get_item(
            TableName=table, Key=self._serialize({"PK": pk, "SK": sk}), ConsistentRead=True
        )
        found = answer.get("Item")
        return self._deserialize(found) if found else None

    def get_many(self, table: str, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """Read up to 100 items, strongly consistent, in this order; absent ones are left out."""
        found: dict[tuple[str, str], Item] = {}
        todo: list[Any] = [self._serialize({"PK": pk, "SK": sk}) for pk, sk in keys]
        assert len(todo) <= BATCH_GET_LIMIT
        for pause_s in (*_RETRY_PAUSES_S, None) if todo else ():
            answer = self._client.batch_get_item(
                RequestItems={table: {"Keys": todo, "ConsistentRead": True}}
            )
            for raw in answer["Responses"].get(table, []):
                item = self._deserialize(raw)
                found[item["PK"], item["SK"]] = item
            todo = list(answer.get("UnprocessedKeys", {}).get(table, {}).get("Keys", []))
            if not todo:
                break
            if pause_s is None:
                raise Throttled(table)
            _pause(pause_s)
        return [found[key] for key in keys if key in found]

    def query(  # noqa: PLR0913 -- the parts of one DynamoDB query
        self,
        table: str,
        condition: str,
        values: Mapping[str, Any],
        *,
        index: str | None = None,
        filter_expression: str | None = None,
        names: Mapping[str, str] | None = None,
        limit: int = 100,
        newest_first: bool = False,
        start: Item | None = None,
    ) -> QueryPage:
        """Read one bounded page of rows."""
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": self._serialize(values),
            "Limit": limit,
            "ScanIndexForward": not newest_first,
        }
        optional = {
            "IndexName": index,
            "FilterExpression": filter_expression,
            "ExpressionAttributeNames": dict(names or {}),
            "ExclusiveStartKey": self._serialize(start) if start else None,
        }
        request |= {name: value for name, value in optional.items() if value}
        answer = self._client.query(**request)
        last = answer.get("LastEvaluatedKey")
        return QueryPage(
            [self._deserialize(row) for row in answer["Items"]],
            answer["ScannedCount"],
            self._deserialize(last) if last else None,
        )

    def write(self, write: Write) -> Item | None:
        """Do one write; an update answers the new item. Raises ConditionFailed."""
        request = self._write_request(write) | {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        try:
            if write.item is not None:
                self._retry_conflicts(lambda: self._client.put_item(**request))
                return None
            if write.update is None:
                self._retry_conflicts(lambda: self._client.delete_item(**request))
                return None
            request["ReturnValues"] = "ALL_NEW"
            answer = self._retry_conflicts(lambda: self._client.update_item(**request))
        except self._client.exceptions.ConditionalCheckFailedException as failure:
            raise ConditionFailed(self._existing_item(failure.response)) from failure
        return self._deserialize(answer["Attributes"])

    def transact(self, writes: Iterable[Write]) -> None:
        """Do all writes or none, once, however often the client repeats the call.

        Raises ConditionFailed with the position of the first write whose condition did not
        hold. A conflict with another transaction is repeated; botocore repeats none.
        """
        token = secrets.token_hex(16)
        actions: list[Any] = [self._transact_action(write) for write in writes]
        try:
            self._retry_conflicts(
                lambda: self._client.transact_write_items(
                    TransactItems=actions, ClientRequestToken=token
                )
            )
        except self._client.exceptions.TransactionCanceledException as failure:
            for index, reason in enumerate(_cancellation_reasons(failure)):
                if reason.get("Code") == "ConditionalCheckFailed":
                    raise ConditionFailed(self._existing_item(reason), index) from failure
            raise

    def delete_partition(self, table: str, pk: str) -> None:
        """Delete all items of a partition, its `META` last."""
        for _ in self.delete_partition_in_steps(table, pk):
            pass

    def delete_partition_in_steps(self, table: str, pk: str) -> Iterator[None]:
        """Delete a partition as `delete_partition` does, some items at each step."""
        last: list[Write] = []
        start: Item | None = None
        while True:
            page = self.query(table, "PK = :pk", {":pk": pk}, limit=_TRANSACTION_LIMIT, start=start)
            writes = [Write(table, key={"PK": pk, "SK": row["SK"]}) for row in page.items]
            last += [write for write in writes if write.key == {"PK": pk, "SK": "META"}]
            if first := [write for write in writes if write not in last]:
                self.transact(first)
                yield
            start = page.last_evaluated_key
            if start is None:
                break
        if last:
            self.transact(last)
            yield

    def _retry_conflicts(self, call: Callable[[], Any]) -> Any:
        """Repeat a call while others' transactions are in its way; botocore repeats none.

        Raises Throttled where they stay there.
        """
        for pause_s in (*_RETRY_PAUSES_S, None):
            try:
                return call()
            except self._client.exceptions.TransactionConflictException as failure:
                met: Exception = failure
            except self._client.exceptions.TransactionCanceledException as failure:
                codes = {reason.get("Code") for reason in _cancellation_reasons(failure)}
                if not codes & _TRANSIENT_CODES or "ConditionalCheckFailed" in codes:
                    raise
                met = failure
            if pause_s is None:
                raise Throttled from met
            _pause(pause_s)
        raise AssertionError

    def _transact_action(self, write: Write) -> dict[str, Any]:
        request = self._write_request(write) | {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        if write.item is not None:
            return {"Put": request}
        return {"Update" if write.update is not None else "Delete": request}

    def _write_request(self, write: Write) -> dict[str, Any]:
        request: dict[str, Any] = {"TableName": write.table}
        if write.item is not None:
            request["Item"] = self._serialize(write.item)
        else:
            assert write.key is not None
            request["Key"] = self._serialize(write.key)
        optional = {
            "UpdateExpression": write.update,
            "ConditionExpression": write.condition,
            "ExpressionAttributeNames": dict(write.names),
            "ExpressionAttributeValues": self._serialize(write.values),
        }
        return request | {name: value for name, value in optional.items() if value}

    def _existing_item(self, response: Mapping[str, Any]) -> Item | None:
        raw = response.get("Item")
        return self._deserialize(raw) if raw else None

    def _serialize(self, item: Mapping[str, Any]) -> dict[str, Any]:
        serialize = self._serializer.serialize
        return {name: serialize(value) for name, value in item.items()}

    def _deserialize(self, raw: Mapping[str, Any]) -> Item:
        deserialize = self._deserializer.deserialize
        return {name: _plain_value(deserialize(value)) for name, value in raw.items()}

    @cached_property
    def _serializer(self) -> "TypeSerializer":
        from boto3.dynamodb.types import TypeSerializer  # noqa: PLC0415

        return TypeSerializer()

    @cached_property
    def _deserializer(self) -> "TypeDeserializer":
        from boto3.dynamodb.types import TypeDeserializer  # noqa: PLC0415

        return TypeDeserializer()

    @property
    def _client(self) -> Any:
        return self._clients.dynamodb


def _cancellation_reasons(failure: Any) -> list[dict[str, Any]]:
    reasons: list[dict[str, Any]] = failure.response.get("CancellationReasons", [])
    return reasons


def _pause(seconds: float) -> None:
    time.sleep(seconds * random.uniform(0.5, 1.5))  # noqa: S311 -- spreads repeats, hides nothing


def _plain_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, list):
        return [_plain_value(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain_value(element) for name, element in value.items()}
    return value
