"""Schema checks: refused and accepted schemas."""

from typing import Any

import pytest

from chalicelib.engine.schemas.schema_check import check_schema

DIALECT = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    ("schema", "place", "code"),
    [
        ({"type": "strin"}, "/schema/type", "not_allowed"),
        (
            {"properties": {"a/b": {"minimum": "1"}}},
            "/schema/properties/a~1b/minimum",
            "wrong_type",
        ),
        ({"$schema": "http://json-schema.org/draft-07/schema#"}, "/schema/$schema", "not_allowed"),
        ({"items": {"$schema": "https://x.test/"}}, "/schema/items/$schema", "not_allowed"),
        ({"items": {"pattern": "("}}, "/schema/items/pattern", "wrong_format"),
        ({"pattern": "a{99999999999}"}, "/schema/pattern", "wrong_format"),
        ({"patternProperties": {"[": {}}}, "/schema/patternProperties/[", "wrong_format"),
        ({"$ref": "https://x.test/schema"}, "/schema/$ref", "not_allowed"),
        ({"$ref": "file:///etc/passwd"}, "/schema/$ref", "not_allowed"),
        ({"$ref": DIALECT}, "/schema/$ref", "not_allowed"),
        ({"$ref": "http://["}, "/schema/$ref", "not_allowed"),
        ({"$ref": "#/$ref/x"}, "/schema/$ref", "not_allowed"),
        ({"$dynamicRef": "#nowhere"}, "/schema/$dynamicRef", "not_allowed"),
        ({"x": {"minimum": "3"}, "$ref": "#/x"}, "/schema/$ref/minimum", "wrong_type"),
        ({"x": {"allOf": 5}, "$ref": "#/x"}, "/schema/$ref/allOf", "wrong_type"),
        ({"x": {"$ref": "https://x.test/"}, "$ref": "#/x"}, "/schema/$ref/$ref", "not_allowed"),
        ({"$ref": "#"}, "/schema", "not_allowed"),
        (
            {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"$ref": "#"}}},
            "/schema",
            "not_allowed",
        ),
    ],
)
def test_schema_error_is_reported_with_its_pointer(
    schema: dict[str, Any], place: str, code: str
) -> None:
    assert [(found[0], found[1]) for found in check_schema(schema, "/schema")] == [(place, code)]


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"$schema": DIALECT, "type": "object", "required": ["a"]},
        {"$id": "https://x.test/a", "$defs": {"q": {"$id": "q", "type": "string"}}, "$ref": "q"},
        {"$defs": {"q": {"$anchor": "q"}}, "properties": {"a": {"$ref": "#q"}}},
        {"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}}},
        {"const": {"$ref": "https://x.test/"}, "default": {"pattern": "("}},
        # A tree: the schema refers to itself, each time one level deeper.
        {"properties": {"children": {"items": {"$ref": "#"}}}},
    ],
)
def test_valid_schema_has_no_errors(schema: dict[str, Any]) -> None:
    assert check_schema(schema, "/schema") == []
