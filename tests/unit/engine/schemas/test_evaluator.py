"""Findings of data that violate their schema."""

from typing import Any

import pytest

from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.schemas.evaluator import validate_data

LINES: JsonObject = {
    "type": "object",
    "required": ["lines"],
    "properties": {
        "lines": {
            "items": {
                "type": "object",
                "required": ["price"],
                "properties": {"price": {"type": ["number", "null"], "minimum": 0}},
                "additionalProperties": False,
            }
        }
    },
}


def test_findings_point_into_the_data() -> None:
    data: Json = {"lines": [{"price": 1}, {"more": 2}, {"price": "3"}, {"price": -1}]}

    assert validate_data(LINES, data, "/data") == [
        ("/data/lines/1", "required", '"price" is required'),
        ("/data/lines/1", "unknown", 'may not have "more"'),
        ("/data/lines/2/price", "wrong_type", "must be a number or null"),
        ("/data/lines/3/price", "out_of_range", "must be at least 0"),
    ]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"enum": ["a", None]}, "b", 'must be one of "a", null'),
        ({"const": 1}, True, "must be 1"),
        ({"format": "date"}, "2026-02-30", "must be a date such as 2026-01-31"),
        ({"format": "email"}, "a@b", "must be an email address"),
        ({"format": "uri"}, "not checked", None),
        ({"uniqueItems": True}, [{"a": 1}, {"a": 1.0}], "must not hold the same entry twice"),
        ({"pattern": "^a"}, "b", 'must match "^a"'),
        (
            {"anyOf": [{"type": "null"}, {"required": ["x"]}]},
            {},
            "fits none of the allowed forms: must be null",
        ),
        ({"oneOf": [{}, {}]}, 1, "fits more than one of the forms that it must fit exactly one of"),
        ({"not": {}}, 1, "has a form that is not allowed"),
        ({"propertyNames": {"maxLength": 1}}, {"ab": 1}, 'the name "ab" must have at most 1'),
        ({"prefixItems": [{}], "items": False}, [1, 2], "has more entries than are allowed"),
        ({"unevaluatedProperties": False}, {"a": 1}, "has properties that are not allowed"),
        ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, '"b" must be there, too'),
        ({"if": {}, "then": {"minItems": 2}}, [1], "must have at least 2 entries"),
        ({"properties": {"a": False}}, {"a": 1}, "is not allowed here"),
    ],
)
def test_each_finding_is_a_sentence(
    schema: dict[str, Any], value: Any, message: str | None
) -> None:
    found = validate_data(schema, value, "/data")

    assert (found[0][2] if found else None) == message or (found[0][2].startswith(str(message)))


def test_findings_stay_short() -> None:
    data: Json = {"k" * 5_000: 1, "lines": [{"x" * 90_000: 1, "price": n} for n in range(500)]}

    found = validate_data({**LINES, "additionalProperties": {"type": "string"}}, data, "/data")

    assert len(found) == 100
    assert max(len(place) + len(message) for place, _, message in found) < 2_000


@pytest.mark.parametrize("value", [1.13, 0.07, 19.99, 1e300, 1_000_000.01, -4.35, 5, 10**300])
def test_multiple_of_cents_is_exact(value: float) -> None:
    schema: Json = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"price": {"multipleOf": 0.01}, "inner": {"$ref": "#"}},
    }

    assert validate_data(schema, {"price": value, "inner": {"price": value}}, "") == []
    found = validate_data(schema, {"price": 1.135, "inner": {"price": 1.135}}, "")
    assert sorted(found) == [
        ("/inner/price", "out_of_range", "must be a multiple of 0.01"),
        ("/price", "out_of_range", "must be a multiple of 0.01"),
    ]
