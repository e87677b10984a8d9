"""Codec of DynamoDB items: attribute values to plain Python values and back."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
    from mypy_boto3_dynamodb.type_defs import (
        AttributeValueTypeDef,
        UniversalAttributeValueTypeDef,
    )


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


def _plain_value(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value)
    if isinstance(value, list):
        return [_plain_value(element) for element in value]
    if isinstance(value, dict):
        return {name: _plain_value(element) for name, element in value.items()}
    return value
