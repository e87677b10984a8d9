"""Benchmark: cost of running templates in their own process.

A small template in the warm template process, in turn with Jinja2 in this process; once a template
that both have compiled before, once a new one. The claim is the larger difference in milliseconds
of processor time of both processes. The memory of the template process is printed as well.
"""

import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import psutil
from jinja2 import Environment, StrictUndefined

from chalicelib.engine.templating.worker import TemplateWorker
from infra.bench.parts import Parts
from infra.bench.processes import peak_bytes, precise_processor_s
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns, stopwatch

LIMIT: Final = Limit(3.0, unit=" ms")
FULL: Final = Rounds(400, warm_up=20)
SMOKE: Final = Rounds(1)
_TIMEOUT_S: Final = 60.0
_KNOWN: Final = ("known template, Jinja2", "known template, process")
_NEW: Final = ("new template, Jinja2", "new template, process")
_SOURCE: Final = (
    "<h1>Invoice {{ number }}</h1><p>{{ customer.name }}, {{ customer.city|upper }}</p>"
    "{% for line in lines %}<p>{{ loop.index }} {{ line.text }}: {{ '%.2f'|format(line.price) }}"
    "</p>{% endfor %}"
)
_DATA: Final[Mapping[str, Any]] = {
    "number": "2026-0042",
    "customer": {"name": "Müller & Söhne", "city": "Bern"},
    "lines": [{"text": f"Part {n}", "price": 9.5 * n} for n in range(5)],
}


def measure(_parts: Parts, report: Report, size: Rounds) -> None:
    """Print the table and the milliseconds."""
    plain = Environment(autoescape=True, undefined=StrictUndefined)
    known = plain.from_string(_SOURCE)
    worker = TemplateWorker()
    # Both get the same new templates.
    new, new_again = _new_sources(), _new_sources()

    def in_process(source: str) -> str:
        return worker.render(source, _DATA, strict=True, deadline=time.time() + _TIMEOUT_S)

    try:
        assert in_process(_SOURCE) == known.render(_DATA)
        child = _template_process()
        works: Mapping[str, Callable[[], object]] = {
            _KNOWN[0]: lambda: known.render(_DATA),
            _KNOWN[1]: lambda: in_process(_SOURCE),
            _NEW[0]: lambda: plain.from_string(next(new)).render(_DATA),
            _NEW[1]: lambda: in_process(next(new_again)),
        }
        pids = os.getpid(), child.pid
        ways = {
            name: stopwatch(work, lambda: sum(map(precise_processor_s, pids)))
            for name, work in works.items()
        }
        times = run_in_turns(ways, size)
        memory = child.memory_info().rss / 1e6, peak_bytes(child.pid) / 1e6
    finally:
        worker.close()
    times.show(report, "template-call, ms of processor time")
    report.row("the process, MB now and at most", *memory)
    over_ms = (
        times.median_ms(process) - times.median_ms(jinja) for jinja, process in (_KNOWN, _NEW)
    )
    report.result(LIMIT, max(over_ms))


def _template_process() -> psutil.Process:
    """Return the template process of this one."""
    (child,) = (
        process
        for process in psutil.Process().children()
        if any("templating.child" in word for word in process.cmdline())
    )
    return child


def _new_sources() -> Iterator[str]:
    for number in itertools.count():
        yield f"{_SOURCE}<p>{number}</p>"
