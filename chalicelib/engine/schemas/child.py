"""Schema process: warms up, enters the sandbox, then answers one request after another."""

import gc
import os
import sys
from typing import TYPE_CHECKING, Final

from chalicelib.engine.sandbox import limits, process_sandbox, wire
from chalicelib.engine.schemas.evaluator import SchemaFinding, validate_data
from chalicelib.engine.schemas.limits import CPU_LIMIT, cpu_s
from chalicelib.engine.schemas.schema_check import check_schema

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject
    from chalicelib.engine.schemas.worker import SchemaRequest, SchemaResponse

_STDIN_FD: Final = 0
_STDOUT_FD: Final = 1
_RECYCLE_BYTES: Final = 128_000_000
# Data may be nested 100 levels deep, and the evaluator takes several calls for each level.
_MAX_RECURSION: Final = 3_000
_WARM_UP_SCHEMA: Final["JsonObject"] = {
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
    """Serve requests until the service closes the pipe or the process must be recycled."""
    _warm_up()
    sys.setrecursionlimit(_MAX_RECURSION)
    missing_walls = process_sandbox.enter_sandbox(parent_pid)
    recycle_above_bytes = process_sandbox.peak_memory_bytes() + _RECYCLE_BYTES
    wire.send({"ready": True, "missing_walls": missing_walls}, _STDOUT_FD)
    pipe = _CountedInput()
    while (request := wire.receive(pipe.read)) is not None:
        answer = _answer(request, cpu_s(pipe.take_count()))
        must_recycle = (
            "exhausted" in answer or process_sandbox.peak_memory_bytes() > recycle_above_bytes
        )
        wire.send({**answer, "recycle": must_recycle}, _STDOUT_FD)
        if must_recycle:
            return


class _CountedInput:
    """Standard input that counts the bytes of a request."""

    def __init__(self) -> None:
        self._count = 0

    def read(self, size: int) -> bytes:
        part = os.read(_STDIN_FD, size)
        self._count += len(part)
        return part

    def take_count(self) -> int:
        """Return the bytes since the last call."""
        count, self._count = self._count, 0
        return count


def _answer(request: "SchemaRequest", seconds: float) -> "SchemaResponse":
    try:
        process_sandbox.start_cpu_timers(seconds)
        try:
            return {"findings": _findings(request)}
        finally:
            process_sandbox.stop_cpu_timers()
    except process_sandbox.CpuTimeError:
        return {"exhausted": f"used more than {CPU_LIMIT}"}
    except RecursionError:
        return {"exhausted": "led deeper than it may: the schema refers to itself without end"}
    except MemoryError:
        return {"exhausted": f"needed more than {limits.MEMORY_BYTES // 1_000_000} MB"}


def _findings(request: "SchemaRequest") -> list[SchemaFinding]:
    if "data" in request:
        return validate_data(request["schema"], request["data"], request["prefix"])
    return check_schema(request["schema"], request["prefix"])


def _warm_up() -> None:
    check_schema(_WARM_UP_SCHEMA, "")
    validate_data(_WARM_UP_SCHEMA, {"a": "y", "b": [1, "x"], "c": 3, "d": 4}, "")
    gc.collect()
    # The warmed objects live as long as the process: later collections skip them.
    gc.freeze()


if __name__ == "__main__":
    main(int(sys.argv[1]))
