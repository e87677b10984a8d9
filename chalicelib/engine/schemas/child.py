"""The schema process: warms up, gives up its rights, then answers one message after another."""

import gc
import os
import sys
from collections.abc import Mapping
from typing import Any, Final

from chalicelib.engine.schemas.evaluator import findings
from chalicelib.engine.schemas.soundness import faults
from chalicelib.engine.templating import confinement, limits, wire
from chalicelib.engine.templating.fuel import FuelError

_INPUT: Final = 0
_OUTPUT: Final = 1
_RETIREMENT_BYTES: Final = 128_000_000
# Data nest a hundred deep, and each level of a schema takes several calls.
_CALLS: Final = 3_000
_OUT_OF_TIME: Final = f"used more than {limits.CPU_S:g} s of processor time"
_WARM_UP: Final[Mapping[str, Any]] = {
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


def main(parent: int) -> None:
    """Serve until the other side closes the pipe or a run leaves the process in doubt."""
    _warm_up()
    sys.setrecursionlimit(_CALLS)
    confined = confinement.confine(parent)
    ceiling = confinement.peak_memory_bytes() + _RETIREMENT_BYTES
    wire.send({"ready": True, "confined": confined}, _OUTPUT)
    while (request := wire.receive(lambda size: os.read(_INPUT, size))) is not None:
        answer = _answer(request)
        spent = "exhausted" in answer or confinement.peak_memory_bytes() > ceiling
        answer["retire"] = spent
        wire.send(answer, _OUTPUT)
        if spent:
            return


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    try:
        confinement.start_clock()
        try:
            return {"findings": _findings(request)}
        finally:
            confinement.stop_clock()
    except FuelError:
        return {"exhausted": _OUT_OF_TIME}
    except RecursionError:
        return {"exhausted": "led deeper than it may: the schema refers to itself without end"}
    except MemoryError:
        return {"exhausted": f"needed more than {limits.MEMORY_BYTES // 1_000_000} MB"}


def _findings(request: Mapping[str, Any]) -> list[Any]:
    if "data" in request:
        return findings(request["schema"], request["data"], request["prefix"])
    return faults(request["schema"], request["prefix"])


def _warm_up() -> None:
    faults(_WARM_UP, "")
    findings(_WARM_UP, {"a": "y", "b": [1, "x"], "c": 3, "d": 4}, "")
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    main(int(sys.argv[1]))
