"""Schema inference: every sample is valid, and nothing else is assumed."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.engine.schemas.check_schemas import MAX_SCHEMA_BYTES
from chalicelib.engine.schemas.evaluator import validate_data
from chalicelib.engine.schemas.schema_check import check_schema
from chalicelib.features.templates.infer import DIALECT, inferred_schema

TEXTS = st.text(max_size=5) | st.dates().map(str) | st.sampled_from(["a@b.test", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=20,
)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), VALUES), min_size=1, max_size=4))
def test_every_sample_fits(samples: list[dict[str, Any]]) -> None:
    schema = inferred_schema(samples)

    assert check_schema(schema, "") == []
    assert [validate_data(schema, sample, "") for sample in samples] == [[] for _ in samples]


@pytest.mark.parametrize(
    ("samples", "schema"),
    [
        ([1, 2], {"type": "integer"}),
        ([1, 1.5], {"type": "number"}),
        ([1, None, "x"], {"type": ["null", "integer", "string"]}),
        (["2026-01-31"], {"type": "string", "format": "date"}),
        (["2026-01-31T00:00:00Z"], {"type": "string", "format": "date-time"}),
        (["a@b.test", "c@d.test"], {"type": "string", "format": "email"}),
        (["2026-01-31", "2026-02-30"], {"type": "string"}),
        (["2026-01-31", "a@b.test"], {"type": "string"}),
        ([[]], {"type": "array"}),
        ([[1], ["a"]], {"type": "array", "items": {"type": ["integer", "string"]}}),
        (
            [{"a": 1, "b": 2}, {"a": None}],
            {
                "type": "object",
                "properties": {"a": {"type": ["null", "integer"]}, "b": {"type": "integer"}},
                "required": ["a"],
            },
        ),
        (
            [[{"a": 1}, {"a": 2, "b": 3}]],
            {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                    "required": ["a"],
                },
            },
        ),
        ([{str(n): n for n in range(501)}, {"x": "y"}], {"type": "object"}),
    ],
)
def test_schema_describes_the_samples(samples: list[Any], schema: dict[str, Any]) -> None:
    assert inferred_schema(samples) == {"$schema": DIALECT} | schema


def test_schema_of_many_names_fits_a_draft() -> None:
    wide = {f"k{n}": {f"j{m}": [m] for m in range(400)} for n in range(400)}
    samples: list[Any] = [wide, {"x" * 100_000: 1, "k0": {}}, {f"later{n}": n for n in range(499)}]

    schema: Any = inferred_schema(samples)

    assert len(json.dumps(schema)) < MAX_SCHEMA_BYTES
    assert schema["properties"]["k0"]["properties"]["j0"] == {
        "type": "array",
        "items": {"type": "integer"},
    }
    assert [validate_data(schema, sample, "") for sample in samples] == [[]] * 3
