"""Benchmark: cost of running templates in their own process.

`make bench NAME=template-call`: a small template in the warm template process, in turn with Jinja2
in this process; once a template that both have compiled before, once a new one. The claim is the
larger difference in milliseconds. The memory of the template process is printed as well.
"""

import itertools
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from jinja2 import Environment, StrictUndefined

from chalicelib.engine.templating.worker import TemplateWorker
from infra.bench.templates import template_process_memory

LIMIT_MS: Final = 3.0
ROUNDS: Final = 400
_WARM_UP: Final = 20
_TIMEOUT_S: Final = 60.0
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


def main() -> int:
    """Print the table and the milliseconds; return 1 when they are over the limit."""
    worker = TemplateWorker()
    try:
        times = _measure(worker)
        resident = template_process_memory()
    finally:
        worker.close()
    over_ms = [_print_row(kind, *pair) for kind, pair in times.items()]
    sys.stdout.write(resident)
    sys.stdout.write(f"template-call: {max(over_ms):.2f} ms (limit {LIMIT_MS:g} ms)\n")
    return int(max(over_ms) > LIMIT_MS)


def _measure(worker: TemplateWorker) -> Mapping[str, tuple[list[float], list[float]]]:
    plain = Environment(autoescape=True, undefined=StrictUndefined)
    known = plain.from_string(_SOURCE)
    new = _new_sources()

    def in_child(source: str) -> str:
        deadline = time.time() + _TIMEOUT_S
        return worker.render(source, _DATA, strict=True, deadline=deadline)

    times: dict[str, tuple[list[float], list[float]]] = {"known": ([], []), "new": ([], [])}
    for round_number in range(-_WARM_UP, ROUNDS):
        source = next(new)
        ways = {
            "known": (partial(known.render, _DATA), partial(in_child, _SOURCE)),
            "new": (partial(_in_process, plain, source), partial(in_child, source)),
        }
        for kind, (here, there) in ways.items():
            (plain_ms, plain_text), (child_ms, child_text) = _run_timed(here), _run_timed(there)
            assert plain_text == child_text
            if round_number >= 0:
                times[kind][0].append(plain_ms)
                times[kind][1].append(child_ms)
    return times


def _in_process(plain: Environment, source: str) -> str:
    return plain.from_string(source).render(_DATA)


def _run_timed(way: Callable[[], str]) -> tuple[float, str]:
    started = time.perf_counter()
    text = way()
    return 1000 * (time.perf_counter() - started), text


def _new_sources() -> Iterator[str]:
    for number in itertools.count():
        yield f"{_SOURCE}<p>{number}</p>"


def _print_row(kind: str, plain_ms: list[float], child_ms: list[float]) -> float:
    plain, child = statistics.median(plain_ms), statistics.median(child_ms)
    p99 = statistics.quantiles(child_ms, n=100)[-1]
    sys.stdout.write(
        f"{kind + ' template, ms p50':<24}Jinja2 {plain:>6.3f}   child {child:>6.3f} (p99 "
        f"{p99:.3f})   over {child - plain:>6.3f}   ratio {child / plain:>5.1f}\n"
    )
    return child - plain
