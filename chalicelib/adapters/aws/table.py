"""DynamoDB tables: reads, conditional writes and transactions on plain Python values."""

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
TRANSACTION_LIMIT: Final = 100
_TRANSIENT_CODES: Final = {
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}
_RETRY_PAUSES_S: Final = (0.01, 0.03, 0.1, 0.2, 0.4, 0.8)


class ConditionFailed(Exception):  # noqa: N818 -- an ordinary answer: another write was first
    """A condition did not hold; `item` is the existing item, or None where the table has none."""

    def __init__(self, item: Item | None, index: int = 0) -> None:
        """Carry the existing item and the position of the write in its transaction."""
        super().__init__("the condition did not hold")
        self.item = item
        self.index = index

    @property
    def existing_item(self) -> Item:
        """Return the existing item; for conditions that an absent item cannot fail."""
        assert self.item is not None
        return self.item


class Throttled(Exception):  # noqa: N818 -- the table's own answer
    """The table throttled a call, or a conflict persisted, over all retries."""


class Write(NamedTuple):
    """One conditional write: puts `item`, applies `update` to `key`, or else deletes `key`."""

    table: str
    item: Item | None = None
    key: Item | None = None
    update: str | None = None
    condition: str | None = None
    names: Mapping[str, str] = {}
    values: Mapping[str, Any] = {}


class QueryPage(NamedTuple):
    """One page of a query; `scanned_count` counts the rows before the filter was applied."""

    items: list[Item]
    scanned_count: int
    last_evaluated_key: Item | None


class Tables:
    """Tables of one account.

    botocore may repeat a write whose response was lost, so a write that must not happen twice
    carries a condition.
    """

    def __init__(self, clients: "AwsClients") -> None:
        """Use these clients."""
        self._clients = clients

    def get(self, table: str, pk: str, sk: str = "META") -> Item | None:
        """Read one item, strongly consistent."""
        response = self._client.get_item(
            TableName=table, Key=self._serialize({"PK": pk, "SK": sk}), ConsistentRead=True
        )
        raw = response.get("Item")
        return self._deserialize(raw) if raw else None

    def get_many(self, table: str, keys: Sequence[tuple[str, str]]) -> list[Item]:
        """Read up to 100 items, strongly consistent, in the order of `keys`.

        Absent items are left out. Raises Throttled.
        """
        items: dict[tuple[str, str], Item] = {}
        unprocessed: list[Any] = [self._serialize({"PK": pk, "SK": sk}) for pk, sk in keys]
        assert len(unprocessed) <= BATCH_GET_LIMIT
        for pause_s in (*_RETRY_PAUSES_S, None) if unprocessed else ():
            response = self._client.batch_get_item(
                RequestItems={table: {"Keys": unprocessed, "ConsistentRead": True}}
            )
            for raw in response["Responses"].get(table, []):
                item = self._deserialize(raw)
                items[item["PK"], item["SK"]] = item
            unprocessed = list(response.get("UnprocessedKeys", {}).get(table, {}).get("Keys", []))
            if not unprocessed:
                break
            if pause_s is None:
                raise Throttled(table)
            _pause(pause_s)
        return [items[key] for key in keys if key in items]

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
        consistent: bool = False,
        start: Item | None = None,
    ) -> QueryPage:
        """Read one page of rows; `limit` counts rows before the filter is applied."""
        request: dict[str, Any] = {
            "TableName": table,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": self._serialize(values),
            "Limit": limit,
            "ScanIndexForward": not newest_first,
        }
        optional = {
            "IndexName": index,
            "ConsistentRead": consistent,
            "FilterExpression": filter_expression,
            "ExpressionAttributeNames": dict(names or {}),
            "ExclusiveStartKey": self._serialize(start) if start else None,
        }
        request |= {name: value for name, value in optional.items() if value}
        response = self._client.query(**request)
        last = response.get("LastEvaluatedKey")
        return QueryPage(
            [self._deserialize(row) for row in response["Items"]],
            response["ScannedCount"],
            self._deserialize(last) if last else None,
        )

    def write(self, write: Write) -> Item | None:
        """Do one write; returns the new item of an update. Raises ConditionFailed, Throttled."""
        request = self._write_request(write) | {"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}
        try:
            if write.item is not None:
                self._retry_conflicts(lambda: self._client.put_item(**request))
                return None
            if write.update is None:
                self._retry_conflicts(lambda: self._client.delete_item(**request))
                return None
            request["ReturnValues"] = "ALL_NEW"
            response = self._retry_conflicts(lambda: self._client.update_item(**request))
        except self._client.exceptions.ConditionalCheckFailedException as failure:
            raise ConditionFailed(self._existing_item(failure.response)) from failure
        return self._deserialize(response["Attributes"])

    def transact(self, writes: Iterable[Write]) -> None:
        """Do all writes or none; idempotent by a token when the client retries the call.

        Raises ConditionFailed with the position of the first write whose condition did not
        hold, and Throttled when a conflict with another transaction persists.
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
        """Delete a partition as `delete_partition` does; yields after each transaction."""
        last: list[Write] = []
        start: Item | None = None
        while True:
            page = self.query(
                table,
                "PK = :pk",
                {":pk": pk},
                limit=TRANSACTION_LIMIT,
                consistent=True,
                start=start,
            )
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
        """Retry a call that conflicts with another transaction; botocore does not.

        Raises Throttled when the conflict persists.
        """
        for pause_s in (*_RETRY_PAUSES_S, None):
            try:
                return call()
            except self._client.exceptions.TransactionConflictException as failure:
                conflict: Exception = failure
            except self._client.exceptions.TransactionCanceledException as failure:
                codes = {reason.get("Code") for reason in _cancellation_reasons(failure)}
                if not codes & _TRANSIENT_CODES or "ConditionalCheckFailed" in codes:
                    raise
                conflict = failure
            if pause_s is None:
                raise Throttled from conflict
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
    time.sleep(seconds * random.uniform(0.5, 1.5))  # noqa: S311 -- jitter, not a secret


def _plain_value(value: Any) -> Any:
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, list):
        return [_plain_value(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain_value(element) for name, element in value.items()}
    return value
