"""Benchmark: a long table in the template language, compared with Jinja2 itself.

`make bench NAME=templates`: 10 000 rows of ten expressions each, in turn through plain Jinja2 in
this process (`Environment(autoescape=True, undefined=StrictUndefined)`), through the language with
its sandbox and fuel in this process, and through the warm template process, data transfer included.
The ratio is that of the template process, whose memory is printed as well.
"""

import re
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from operator import truediv
from pathlib import Path
from typing import Any, Final

import psutil
from jinja2 import Environment, StrictUndefined

from chalicelib.engine.templating.renderer import TemplateRenderer
from chalicelib.engine.templating.worker import TemplateWorker

LIMIT: Final = 1.0
ROWS: Final = 10_000
ROUNDS: Final = 15
_WARM_UP: Final = 2
_TIMEOUT_S: Final = 60.0
_SOURCE: Final = """<table>{% for row in rows %}
<tr class="{{ loop.cycle('odd', 'even') }}"><td>{{ loop.index }}</td><td>{{ row.sku }}</td>
<td>{{ row.name|upper }}</td><td>{{ row.customer.city }}</td><td>{{ row.quantity }}</td>
<td>{{ '%.2f'|format(row.price) }}</td><td>{{ row.quantity * row.price }}</td>
<td>{{ row.note or '-' }}</td><td>{{ 'paid' if row.paid else 'open' }}</td></tr>{% endfor %}
</table>"""


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    data = {"rows": [_table_row(number) for number in range(ROWS)]}
    plain = Environment(autoescape=True, undefined=StrictUndefined).from_string(_SOURCE)
    renderer, worker = TemplateRenderer(), TemplateWorker()

    def in_child() -> str:
        deadline = time.time() + _TIMEOUT_S
        return worker.render(_SOURCE, data, strict=True, deadline=deadline)

    ways: Mapping[str, Callable[[], object]] = {
        "plain Jinja2": lambda: plain.render(data),
        "language, in process": lambda: renderer.render(_SOURCE, data, strict=True),
        "warm child": in_child,
    }
    try:
        times = _measure(ways)
        resident = template_process_memory()
    finally:
        worker.close()
    sys.stdout.write(resident)
    return _report(times)


def _measure(ways: Mapping[str, Callable[[], object]]) -> Mapping[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    expected = ways["plain Jinja2"]()
    for round_number in range(-_WARM_UP, ROUNDS):
        for name, way in ways.items():
            started = time.perf_counter()
            text = way()
            seconds = time.perf_counter() - started
            assert text == expected, f"{name} wrote something else"
            if round_number >= 0:
                times[name].append(seconds)
    return times


def _report(times: Mapping[str, list[float]]) -> int:
    sys.stdout.write(
        f"{f'{ROWS} rows, p50 of {ROUNDS}':<28}{'ms':>10}{'ms a row':>10}{'ratio':>8}\n"
    )
    ratio = 0.0
    for name, seconds in times.items():
        ms = 1000 * statistics.median(seconds)
        # The median of the ratios of each round, within which the load of the machine is similar.
        ratio = statistics.median(map(truediv, seconds, times["plain Jinja2"]))
        sys.stdout.write(f"{name:<28}{ms:>10.1f}{ms / ROWS:>10.4f}{ratio:>8.2f}\n")
    sys.stdout.write(f"templates: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT)


def _table_row(number: int) -> dict[str, Any]:
    return {
        "sku": f"SKU-{number:05d}",
        "name": f"Item & part {number}",
        "customer": {"city": "Zürich"},
        "quantity": number % 9 + 1,
        "price": 4.25 + number % 50,
        "note": "" if number % 3 else "<fragile>",
        "paid": number % 2 == 0,
    }


def template_process_memory() -> str:
    """Return the resident and the peak memory of this process's template process, as text."""
    (child,) = (
        process
        for process in psutil.Process().children()
        if any("templating.child" in word for word in process.cmdline())
    )
    status = Path(f"/proc/{child.pid}/status").read_text(encoding="ascii")
    now_mb, max_mb = (
        int(re.findall(rf"{field}:\s+(\d+) kB", status)[0]) * 1024 / 1e6
        for field in ("VmRSS", "VmHWM")
    )
    return f"memory of the child: {now_mb:.0f} MB resident, {max_mb:.0f} MB at most\n"
