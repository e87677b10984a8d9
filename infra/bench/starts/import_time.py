"""Benchmark: import of the API function, compared with its three frameworks (decision 7).

Fresh interpreters in turn; medians of their processor time, without that of a bare interpreter. The
byte code is there, as in a deployed package.

The app took 0.56 of the frameworks' time when decision 7 was made, and the limit was 1.3. Batches,
emails, stores, links and PDF tools have come since: the app imports 330 modules of the product, at
0.4 to 0.5 ms each, and the limit is 1.4.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from typing import Final

from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns
from infra.template import ROOT

LIMIT: Final = Limit(1.4)
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
    with tempfile.TemporaryDirectory() as byte_code:
        ways = {name: partial(_import_s, script, byte_code) for name, script in _SCRIPTS.items()}
        times = run_in_turns(ways, size)
    times.show(report, "import, ms")
    bare, frameworks, app = (statistics.median(times.seconds[name]) for name in _SCRIPTS)
    report.result(LIMIT, (app - bare) / (frameworks - bare))


def _import_s(script: str, byte_code: str) -> float:
    """Return the processor time of an interpreter that has its byte code in a folder."""
    variables = {**os.environ, "PYTHONPYCACHEPREFIX": byte_code, "PYTHONDONTWRITEBYTECODE": ""}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=variables, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
