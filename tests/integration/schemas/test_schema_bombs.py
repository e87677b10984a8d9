"""Schema bombs against the real process: each ends, and the next validation succeeds."""

import json
import resource
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.schemas.limits import CPU_LIMIT, cpu_s
from chalicelib.engine.schemas.worker import SchemaWorker

pytestmark = pytest.mark.integration

# Of processor time, and some more: a process takes it to start and to notice.
GRACE_S = 2.0
WALL_S = 120.0


@pytest.fixture(scope="module")
def worker() -> Iterator[SchemaWorker]:
    worker = SchemaWorker()
    yield worker
    worker.close()


def nested(depth: int, wrap: Any) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(depth):
        schema = wrap(schema)
    return schema


def tree(depth: int) -> dict[str, Any]:
    """Return a schema whose definitions each refer twice to the next: 2^depth paths."""
    twice = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}, {"$ref": f"#/$defs/d{n + 1}"}]}
        for n in range(depth)
    }
    return {"$defs": {**twice, f"d{depth}": {"type": "object"}}, "$ref": "#/$defs/d0"}


BOMBS: dict[str, tuple[Any, Any]] = {
    "pattern": ({"properties": {"a": {"pattern": "^(a+)+$"}}}, {"a": "a" * 40 + "!"}),
    "pattern of names": ({"patternProperties": {"^(x|xx)+$": True}}, {"x" * 60 + "!": 1}),
    "references": (tree(40), {}),
    "unevaluated": (
        {
            **nested(14, lambda inner: {"anyOf": [inner, inner], "unevaluatedProperties": True}),
            "unevaluatedProperties": False,
        },
        {f"k{n}": n for n in range(400)},
    ),
    "unique": (
        {"properties": {"a": {"uniqueItems": True}}},
        {"a": [{"n": n} for n in range(100_000)]},
    ),
    "choices": (
        {"items": {"anyOf": [{"enum": [f"{m}-{n}" for n in range(1_000)]} for m in range(100)]}},
        [f"no {n}" for n in range(20_000)],
    ),
}


def ended_children_s() -> float:
    """Return the processor time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.parametrize("name", BOMBS)
def test_schema_bomb_ends_within_its_budget(worker: SchemaWorker, name: str) -> None:
    schema, data = BOMBS[name]
    before_s = ended_children_s()

    with pytest.raises(RenderFailure) as failure:
        worker.validate(schema, data, budget_s=WALL_S)

    assert failure.value.code == "template_fuel_exhausted"
    assert "JSON Schema" in failure.value.detail
    size = len(json.dumps([schema, data]))
    assert ended_children_s() - before_s < cpu_s(size) + GRACE_S
    assert worker.validate({"type": "object"}, [], budget_s=WALL_S) != []


@pytest.mark.parametrize("name", ["references", "pattern"])
def test_failure_says_how_much_time_a_schema_has(worker: SchemaWorker, name: str) -> None:
    with pytest.raises(RenderFailure, match=f"used more than {CPU_LIMIT}"):
        worker.validate(*BOMBS[name], budget_s=WALL_S)


def test_four_megabytes_of_ordinary_rows_are_evaluated(worker: SchemaWorker) -> None:
    row: dict[str, Any] = {
        "required": ["sku", "name", "quantity", "price"],
        "properties": {
            "sku": {"type": "string", "pattern": "^[A-Z0-9-]{3,20}$"},
            "name": {"type": "string", "maxLength": 200},
            "quantity": {"type": "integer", "minimum": 1},
            "price": {"type": "number", "minimum": 0},
            "date": {"type": "string", "format": "date"},
        },
        "additionalProperties": False,
    }
    values = {"sku": "AB-1", "name": "n" * 50, "quantity": 3, "price": 12.5, "date": "2026-01-31"}
    rows: Any = [values] * (4_000_000 // len(json.dumps(values)))

    assert worker.validate({"items": row}, rows, budget_s=WALL_S) == []


def test_endless_reference_reached_by_data_is_stopped(worker: SchemaWorker) -> None:
    schema = {"properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"$ref": "#/$defs/a"}}}

    with pytest.raises(RenderFailure) as failure:
        worker.validate(schema, {"a": 1}, budget_s=WALL_S)

    assert failure.value.code == "template_fuel_exhausted"


def test_deep_and_large_but_harmless_schemas_are_evaluated(worker: SchemaWorker) -> None:
    deep: Any = {}
    for _ in range(95):
        deep = {"a": deep}
    step: dict[str, Any] = {"properties": {"a": {"$ref": "#"}}}
    for _ in range(5):
        step = {"allOf": [step]}
    recursive = {"type": "object", **step}

    assert worker.validate(recursive, deep, budget_s=WALL_S) == []
    many = {"a": [f"{n}" for n in range(100_000)]}
    unique: Any = {"properties": {"a": {"uniqueItems": True, "items": {"type": "string"}}}}
    assert worker.validate(unique, many, budget_s=WALL_S) == []
