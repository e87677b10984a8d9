"""DynamoDB tables: reads, conditional writes and transactions on plain Python values."""

import random
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import (
        AttributeValueTypeDef,
        DeleteTypeDef,
        PutTypeDef,
        QueryInputTypeDef,
        TransactWriteItemTypeDef,
        UniversalAttributeValueTypeDef,
        UpdateTypeDef,
    )

    from chalicelib.adapters.aws.session import AwsClients

# A value that a row may have: DynamoDB's number is an integer here, and its list also a tuple.
# A set is not empty, and its values are texts.
type RowValue = (
    str | int | bytes | Sequence[RowValue] | AbstractSet[str] | Mapping[str, RowValue] | None
)
# A row as read: the repository that wrote it knows its attributes.
Row = dict[str, Any]
# Bounds of the service itself: keys of a BatchGetItem, writes of a transaction.
BATCH_GET_LIMIT: Final = 100
TRANSACTION_LIMIT: Final = 100
# Reasons of a canceled transaction that say nothing of its conditions: the same one may pass.
_TRANSIENT_CODES: Final = {
    "TransactionConflict",
    "ThrottlingError",
    "ProvisionedThroughputExceeded",
}
_RETRY_PAUSES_S: Final = (0.01, 0.03, 0.1, 0.2, 0.4, 0.8)


class ConditionFailed(Exception):  # noqa: N818 -- an ordinary answer: another write was first
    """A condition did not hold; `item` is the existing item, or None where the table has none."""

    def __init__(self, item: Row | None, index: int = 0) -> None:
        """Carry the existing item and the position of the write in its transaction."""
        super().__init__("the condition did not hold")
        self.item = item
        self.index = index

    @property
    def existing_item(self) -> Row:
        """Return the existing item; for conditions that an absent item cannot fail."""
        assert self.item is not None
        return self.item


class Throttled(Exception):  # noqa: N818 -- the table's own answer
    """The table throttled a call, or a conflict persisted, over all retries."""


class Write(NamedTuple):
    """One conditional write: puts `item`, applies `update` to `key`, or else deletes `key`."""

    table: "Table"
    item: Mapping[str, RowValue] | None = None
    key: Mapping[str, str] | None = None
    update: str | None = None
    condition: str | None = None
    names: Mapping[str, str] = {}
    values: Mapping[str, RowValue] = {}


class QueryPage(NamedTuple):
    """One page of a query; `scanned_count` counts the rows before the filter was applied."""

    items: list[Row]
    scanned_count: int
    last_evaluated_key: Row | None


class Table:
    """One table, and the transactions with other tables of its account.

    botocore may repeat a write whose response was lost, and a delayed request may arrive after its
    own retry. A write that must not happen twice is a transaction, or carries a condition that no
    longer holds after it.
    """

    def __init__(self, clients: "AwsClients", name: str) -> None:
        """Bind to the table of this name."""
        self.name = name
        self._clients = clients

    def get(self, pk: str, sk: str = "META") -> Row | None:
        """Read one item, strongly consistent."""
        response = self._client.get_item(
            TableName=self.name, Key=_CODEC.encode({"PK": pk, "SK": sk}), ConsistentRead=True
        )
        raw = response.get("Item")
        return _CODEC.decode(raw) if raw else None

    def get_many(self, keys: Sequence[tuple[str, str]]) -> list[Row]:
        """Read up to 100 items, strongly consistent, in the order of `keys`.

        Absent items are left out. Raises Throttled.
        """
        items: dict[tuple[str, str], Row] = {}
        unprocessed: Sequence[Mapping[str, UniversalAttributeValueTypeDef]] = [
            _CODEC.encode({"PK": pk, "SK": sk}) for pk, sk in keys
        ]
        assert len(unprocessed) <= BATCH_GET_LIMIT
        for pause_s in (*_RETRY_PAUSES_S, None) if unprocessed else ():
            response = self._client.batch_get_item(
                RequestItems={self.name: {"Keys": unprocessed, "ConsistentRead": True}}
            )
            for raw in response["Responses"].get(self.name, []):
                item: Row = _CODEC.decode(raw)
                items[item["PK"], item["SK"]] = item
            # A throttled or too large answer has some of the items only, and leaves the rest to its
            # caller.
            rest = response.get("UnprocessedKeys", {}).get(self.name)
            unprocessed = rest["Keys"] if rest else []
            if not unprocessed:
                break
            if pause_s is None:
                raise Throttled(self.name)
            _pause(pause_s)
        return [items[key] for key in keys if key in items]

    def query(  # noqa: PLR0913 -- the parts of one DynamoDB query
        self,
        condition: str,
        values: Mapping[str, RowValue],
        *,
        index: str | None = None,
        filter_expression: str | None = None,
        names: Mapping[str, str] | None = None,
        limit: int = 100,
        newest_first: bool = False,
        consistent: bool = False,
        start: Row | None = None,
    ) -> QueryPage:
        """Read one page of rows; `limit` counts rows before the filter is applied."""
        request: QueryInputTypeDef = {
            "TableName": self.name,
            "KeyConditionExpression": condition,
            "ExpressionAttributeValues": _CODEC.encode(values),
            "Limit": limit,
            "ScanIndexForward": not newest_first,
        }
        if index:
            request["IndexName"] = index
        if consistent:
            request["ConsistentRead"] = True
        if filter_expression:
            request["FilterExpression"] = filter_expression
        if names:
            request["ExpressionAttributeNames"] = dict(names)
        if start:
            request["ExclusiveStartKey"] = _CODEC.encode(start)
        response = self._client.query(**request)
        last = response.get("LastEvaluatedKey")
        return QueryPage(
            [_CODEC.decode(row) for row in response["Items"]],
            response["ScannedCount"],
            _CODEC.decode(last) if last else None,
        )

    def write(self, write: Write) -> Row | None:
        """Do one write; returns the new item of an update. Raises ConditionFailed, Throttled."""
        action = self._action(write)
        try:
            if "Put" in action:
                self._retry_conflicts(lambda: self._client.put_item(**action["Put"]))
                return None
            if "Delete" in action:
                self._retry_conflicts(lambda: self._client.delete_item(**action["Delete"]))
                return None
            response = self._retry_conflicts(
                lambda: self._client.update_item(**action["Update"], ReturnValues="ALL_NEW")
            )
        except self._client.exceptions.ConditionalCheckFailedException as failure:
            raise ConditionFailed(self._existing_item(failure.response)) from failure
        return _CODEC.decode(response["Attributes"])

    def transact(self, writes: Iterable[Write]) -> None:
        """Do all writes or none, and only once: botocore's retries carry the same token.

        Raises ConditionFailed with the position of the first write whose condition did not
        hold, and Throttled when a conflict with another transaction persists.
        """
        token = secrets.token_hex(16)
        actions = [self._action(write) for write in writes]
        try:
            self._retry_conflicts(
                lambda: self._client.transact_write_items(
                    TransactItems=actions, ClientRequestToken=token
                )
            )
        except self._client.exceptions.TransactionCanceledException as failure:
            # There is one reason for each write, in their order; those that held have the code
            # `None`.
            for index, reason in enumerate(failure.response.get("CancellationReasons", [])):
                if reason.get("Code") == "ConditionalCheckFailed":
                    raise ConditionFailed(self._existing_item(reason), index) from failure
            raise

    def delete_partition(self, pk: str) -> None:
        """Delete all items of a partition, its `META` last."""
        for _ in self.delete_partition_in_steps(pk):
            pass

    def delete_partition_in_steps(self, pk: str) -> Iterator[None]:
        """Delete a partition as `delete_partition` does; yields after each transaction."""
        last: list[Write] = []
        start: Row | None = None
        while True:
            page = self.query(
                "PK = :pk",
                {":pk": pk},
                limit=TRANSACTION_LIMIT,
                consistent=True,
                start=start,
            )
            writes = [Write(self, key={"PK": pk, "SK": row["SK"]}) for row in page.items]
            # A partition is found by its `META`, so a deletion that is cut off is begun again by
            # it.
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

    def _retry_conflicts[Response](self, call: Callable[[], Response]) -> Response:
        """Retry a call that conflicts with another transaction; botocore does not.

        Raises Throttled when the conflict persists.
        """
        for pause_s in (*_RETRY_PAUSES_S, None):
            try:
                return call()
            except self._client.exceptions.TransactionConflictException as failure:
                conflict: Exception = failure
            except self._client.exceptions.TransactionCanceledException as failure:
                codes = {
                    reason.get("Code") for reason in failure.response.get("CancellationReasons", [])
                }
                # A condition that did not hold is the answer, also where other writes met another
                # transaction.
                if not codes & _TRANSIENT_CODES or "ConditionalCheckFailed" in codes:
                    raise
                conflict = failure
            if pause_s is None:
                raise Throttled from conflict
            _pause(pause_s)
        raise AssertionError

    def _action(self, write: Write) -> "TransactWriteItemTypeDef":
        if write.item is not None:
            put: PutTypeDef = {"TableName": write.table.name, "Item": _CODEC.encode(write.item)}
            self._add_condition(put, write)
            return {"Put": put}
        assert write.key is not None
        key = _CODEC.encode(write.key)
        if write.update is None:
            delete: DeleteTypeDef = {"TableName": write.table.name, "Key": key}
            self._add_condition(delete, write)
            return {"Delete": delete}
        update: UpdateTypeDef = {
            "TableName": write.table.name,
            "Key": key,
            "UpdateExpression": write.update,
        }
        self._add_condition(update, write)
        return {"Update": update}

    def _add_condition(
        self, request: "PutTypeDef | UpdateTypeDef | DeleteTypeDef", write: Write
    ) -> None:
        # A refused write brings the row, so its caller needs no read to go on (decision 2).
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        if write.condition:
            request["ConditionExpression"] = write.condition
        if write.names:
            request["ExpressionAttributeNames"] = dict(write.names)
        if write.values:
            request["ExpressionAttributeValues"] = _CODEC.encode(write.values)

    def _existing_item(self, response: Mapping[str, object]) -> Row | None:
        raw = response.get("Item")
        return _CODEC.decode(raw) if isinstance(raw, dict) else None

    @property
    def _client(self) -> "DynamoDBClient":
        return self._clients.dynamodb


def _pause(seconds: float) -> None:
    time.sleep(seconds * random.uniform(0.5, 1.5))  # noqa: S311 -- jitter, not a secret


class ItemCodec:
    """Codec whose numbers are integers; boto3's types are loaded with its first use."""

    def encode(self, item: Mapping[str, object]) -> "Mapping[str, UniversalAttributeValueTypeDef]":
        """Return an item, a key or the values of an expression as attribute values."""
        serialize = self._serializer.serialize
        return {name: serialize(value) for name, value in item.items()}

    def decode(self, raw: "Mapping[str, AttributeValueTypeDef]") -> dict[str, object]:
        """Return the plain values of an item."""
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


# boto3's types are loaded once, with the first call.
_CODEC: Final = ItemCodec()


def _plain_value(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, list):
        return [_plain_value(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain_value(element) for name, element in value.items()}
    return value
