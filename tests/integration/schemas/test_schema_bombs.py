"""Schema bombs against the real process: each ends, and the next validation succeeds."""

import resource
from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.schemas import worker as schema_worker
from chalicelib.engine.schemas.worker import SchemaWorker
from chalicelib.engine.templating import limits
from tests.fakes import hasty_schema_process

pytestmark = pytest.mark.integration

# Of processor time, and some more: a process takes it to start and to notice.
CPU_S = limits.CPU_S / hasty_schema_process.SHARE + 2
WALL_S = 120.0


@pytest.fixture(scope="module")
def worker() -> Iterator[SchemaWorker]:
    """Return a worker whose processes have less time than those of production."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_worker, "_CHILD_MODULE", hasty_schema_process.__name__)
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
    assert ended_children_s() - before_s < CPU_S
    assert worker.validate({"type": "object"}, [], budget_s=WALL_S) != []


def test_schema_has_the_time_that_the_service_says() -> None:
    worker = SchemaWorker()
    try:
        with pytest.raises(RenderFailure, match="used more than 5 s of processor time"):
            worker.validate(*BOMBS["references"], budget_s=WALL_S)
    finally:
        worker.close()


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
