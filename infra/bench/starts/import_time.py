"""Benchmark: import of the API function, compared with its three frameworks (decision 7).

Fresh interpreters in turn; medians of their processor time, without that of a bare interpreter.
"""

import resource
import statistics
import subprocess
import sys
from functools import partial
from typing import Final

from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns
from infra.template import ROOT

LIMIT: Final = Limit(1.3)
# The warm-up writes the byte code.
FULL: Final = Rounds(15)
SMOKE: Final = Rounds(1, warm_up=0)
_BARE: Final = "interpreter"
_FRAMEWORKS: Final = "frameworks"
_APP: Final = "app"
_SCRIPTS: Final = {
    _BARE: "",
    _FRAMEWORKS: "import chalice, boto3, pydantic",
    _APP: "import app",
}


def measure(_parts: Parts, report: Report, size: Rounds) -> None:
    """Print the table and the ratio."""
    ways = {name: partial(_import_s, script) for name, script in _SCRIPTS.items()}
    times = run_in_turns(ways, size)
    times.show(report, "import, ms")
    bare, frameworks, app = (statistics.median(times.seconds[name]) for name in _SCRIPTS)
    report.result(LIMIT, (app - bare) / (frameworks - bare))


def _import_s(script: str) -> float:
    """Return the processor time of an interpreter in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
