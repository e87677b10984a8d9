"""Write units that calls of DynamoDB cost, by its rules on the sizes of items.

An emulator does not bill. A write costs one unit per started KB of the larger of the items before
and after it, a transaction costs twice that, and each index of the table costs a write of its own
where its keys or projected attributes change. A refused condition costs as if it had held.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from botocore.hooks import BaseEventHooks

_UNIT_BYTES: Final = 1024
_MAP_BYTES: Final = 3
_ELEMENT_BYTES: Final = 1
_CALLS: Final = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")

type Attributes = Mapping[str, Any]


class TableIndex(NamedTuple):
    """Global secondary index: its keys, and the attributes it projects beside them."""

    keys: tuple[str, str]
    projected: tuple[str, ...]


class WrittenItem(NamedTuple):
    """Key of a written item, and its table."""

    table: str
    key: Attributes


class WriteUnits:
    """Counter of the write units of all calls of a session, by operation."""

    def __init__(self, reader: Any, template: Mapping[str, Any]) -> None:
        """Read items with `reader`, a client whose calls are not counted.

        `template` is the CloudFormation template of the tables; all of them have keys PK and SK,
        and only the main table has indexes.
        """
        self.counts: Counter[str] = Counter()
        self._reader = reader
        properties = template["Resources"]["MainTable"]["Properties"]
        self._indexes = [_index(definition) for definition in properties["GlobalSecondaryIndexes"]]

    def count(self, events: "BaseEventHooks", function: str = "") -> None:
        """Count the calls of a session or client from now on, under the name of a function."""
        for call in _CALLS:
            name = f"{function} {call}".strip()
            events.register(f"provide-client-params.dynamodb.{call}", self._remember)
            events.register(f"after-call.dynamodb.{call}", partial(self._add, name))

    def _remember(self, params: dict[str, Any], context: dict[str, Any], **_: Any) -> None:
        items = [
            WrittenItem(write["TableName"], _key(write.get("Item") or write["Key"]))
            for write in _writes(params)
        ]
        context["written"] = [(item, self._read(item)) for item in items]
        context["factor"] = 2 if "TransactItems" in params else 1

    def _add(self, name: str, context: dict[str, Any], **_: Any) -> None:
        for item, before in context["written"]:
            after = self._read(item)
            units = context["factor"] * _units(max(_size(before), _size(after)))
            self.counts[name] += units
            self.counts[f"{name}, indexes"] += sum(
                _index_units(index, before, after) for index in self._indexes
            )

    def _read(self, item: WrittenItem) -> Attributes:
        answer = self._reader.get_item(TableName=item.table, Key=item.key, ConsistentRead=True)
        found: Attributes = answer.get("Item", {})
        return found


def _index(definition: Mapping[str, Any]) -> TableIndex:
    hash_key, range_key = (key["AttributeName"] for key in definition["KeySchema"])
    return TableIndex(
        (hash_key, range_key), tuple(definition["Projection"].get("NonKeyAttributes", ()))
    )


def _writes(params: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "TransactItems" in params:
        for action in params["TransactItems"]:
            yield from action.values()
    else:
        yield params


def _key(attributes: Attributes) -> Attributes:
    return {name: attributes[name] for name in ("PK", "SK")}


def _units(size: int) -> int:
    return max(1, -(-size // _UNIT_BYTES))


def _index_units(index: TableIndex, before: Attributes, after: Attributes) -> int:
    old, new = _projection(index, before), _projection(index, after)
    if old == new:
        return 0
    if old and new and all(old[key] == new[key] for key in index.keys):
        return _units(max(_size(old), _size(new)))
    return sum(_units(_size(entry)) for entry in (old, new) if entry)


def _projection(index: TableIndex, item: Attributes) -> Attributes:
    if not all(key in item for key in index.keys):
        return {}
    names = ("PK", "SK", *index.keys, *index.projected)
    return {name: item[name] for name in names if name in item}


def _size(attributes: Attributes) -> int:
    return sum(len(name.encode()) + _value_size(value) for name, value in attributes.items())


def _value_size(value: Mapping[str, Any]) -> int:
    ((kind, content),) = value.items()
    match kind:
        case "S":
            return len(content.encode())
        case "N":
            return (len(content.lstrip("-").replace(".", "")) + 1) // 2 + 1
        case "M":
            elements = len(content) * _ELEMENT_BYTES
            return _MAP_BYTES + elements + _size(content)
        case "L":
            elements = len(content) * _ELEMENT_BYTES
            return _MAP_BYTES + elements + sum(_value_size(each) for each in content)
        case _:
            return 1
