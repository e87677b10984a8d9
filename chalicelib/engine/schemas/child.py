"""The schema process: warms up, gives up its rights, then answers one message after another."""

import gc
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from chalicelib.engine.schemas.evaluator import validate_data
from chalicelib.engine.schemas.schema_check import check_schema
from chalicelib.engine.templating import limits, process_sandbox, wire
from chalicelib.engine.templating.fuel import FuelError

_STDIN_FD: Final = 0
_STDOUT_FD: Final = 1
_RECYCLE_BYTES: Final = 128_000_000
# Data nest a hundred deep, and each level of a schema takes several calls.
_MAX_RECURSION: Final = 3_000
_CPU_EXHAUSTED_MESSAGE: Final = f"used more than {limits.CPU_S:g} s of processor time"
_WARM_UP_SCHEMA: Final[Mapping[str, Any]] = {
    "$defs": {"a": {"$anchor": "a", "type": ["string", "null"], "pattern": "^x+$"}},
    "type": "object",
    "properties": {
        "a": {"$ref": "#a"},
        "b": {"type": "array", "items": {"anyOf": [{"type": "number"}, {"format": "date"}]}},
        "c": {"oneOf": [{"const": 1}, {"enum": [2]}], "not": {"type": "null"}},
    },
    "required": ["a"],
    "unevaluatedProperties": False,
}


def main(parent_pid: int) -> None:
    """Serve until the other side closes the pipe or a run leaves the process in doubt."""
    _warm_up()
    sys.setrecursionlimit(_MAX_RECURSION)
    confined = process_sandbox.enter_sandbox(parent_pid)
    ceiling = process_sandbox.peak_memory_bytes() + _RECYCLE_BYTES
    wire.send({"ready": True, "is_filtered": confined}, _STDOUT_FD)
    while (request := wire.receive(lambda size: os.read(_STDIN_FD, size))) is not None:
        answer = _answer(request)
        spent = "exhausted" in answer or process_sandbox.peak_memory_bytes() > ceiling
        answer["recycle"] = spent
        wire.send(answer, _STDOUT_FD)
        if spent:
            return


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        process_sandbox.start_cpu_timers()
        try:
            return {"findings": _findings(request)}
        finally:
            process_sandbox.stop_cpu_timers()
    except FuelError:
        return {"exhausted": _CPU_EXHAUSTED_MESSAGE}
    except RecursionError:
        return {"exhausted": "led deeper than it may: the schema refers to itself without end"}
    except MemoryError:
        return {"exhausted": f"needed more than {limits.MEMORY_BYTES // 1_000_000} MB"}


def _findings(request: Mapping[str, Any]) -> list[Any]:
    if "data" in request:
        return validate_data(request["schema"], request["data"], request["prefix"])
    return check_schema(request["schema"], request["prefix"])


def _warm_up() -> None:
    check_schema(_WARM_UP_SCHEMA, "")
    validate_data(_WARM_UP_SCHEMA, {"a": "y", "b": [1, "x"], "c": 3, "d": 4}, "")
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main(int(sys.argv[1]))
