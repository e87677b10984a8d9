"""Benchmark: import of the API function, compared with its three frameworks (decision 7).

`make bench NAME=import`: fresh interpreters, interleaved so that a busy machine slows both; medians
minus the time of a bare interpreter.
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

LIMIT: Final = 1.3
ROUNDS: Final = 15
_ROOT: Final = Path(__file__).parents[3]
_CASES: Final = {
    "interpreter": "",
    "frameworks": "import chalice, boto3, pydantic",
    "app": "import app",
}


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    times: dict[str, list[float]] = {name: [] for name in _CASES}
    for name, script in _CASES.items():
        _import_seconds(script)  # writes the byte code
        assert name
    for _ in range(ROUNDS):
        for name, script in _CASES.items():
            times[name].append(_import_seconds(script))
    medians = {name: statistics.median(values) for name, values in times.items()}
    own = {name: medians[name] - medians["interpreter"] for name in _CASES}
    ratio = own["app"] / own["frameworks"]
    _print_row("import", "median ms", "without interpreter", "fastest ms")
    for name, values in times.items():
        _print_row(
            name, *(f"{1000 * value:.0f}" for value in (medians[name], own[name], min(values)))
        )
    _print_row(f"import: {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT)


def _import_seconds(script: str) -> float:
    started = time.perf_counter()
    subprocess.run([sys.executable, "-c", script], cwd=_ROOT, check=True)
    return time.perf_counter() - started


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(14) + "".join(cell.rjust(22) for cell in rest) + "\n")
