"""Benchmark: a render right after one that lost its browser, compared with a usual one.

`make bench NAME=isolation`: the 40-line invoice over HTTP, as in the benchmark `latency`. A usual
render comes after a pause and finds a prepared page. Before the others, a page was rendered that
never yields or fills the memory, or the browser was killed with SIGKILL. They come at once, and
again while the standby browser is being replaced (decision 19). The stack has several render
processes: a row counts only if the process that lost its browser did the render.
"""

import contextlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import psutil

from infra.bench.documents import render_request
from infra.bench.latency import BenchClient
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 1.5
ROUNDS: Final = 4
_WARM_UP: Final = 5
# A page is prepared within a quarter of a second, a standby browser within two seconds.
_PAUSE_S: Final = 0.25
_RECOVERY_S: Final = 2.0
# At once, and while another standby browser starts.
_DELAYS_S: Final = (0.0, 0.6)
_NEVER_YIELDING: Final = "<script>for (;;);</script>"
_MEMORY_FILLING: Final = (
    "<script>const k = []; for (;;) k.push(new Uint8Array(16e6).fill(7))</script>"
)
_HANDLER: Final = "functions.engine.handler.handler"


def main() -> int:
    """Print the table and the worst ratio; 1 when it is over the limit."""
    payload = json.dumps(render_request()).encode()
    with running_stack() as stack:
        client, functions = _ErrorClient(stack), _RenderProcesses(stack)
        kinds: Mapping[str, Callable[[], None]] = {
            "that never yielded": lambda: client.expect_error(_NEVER_YIELDING, 500, "wait_timeout"),
            "that filled the memory": lambda: client.expect_error(
                _MEMORY_FILLING, 60_000, "render_failed"
            ),
            "and kill -9": functions.kill_browser,
        }

        def render_ms(delay_s: float) -> float:
            time.sleep(delay_s)
            started = time.perf_counter()
            assert client.render(payload).startswith(b"%PDF-")
            return 1000 * (time.perf_counter() - started)

        for _ in range(_WARM_UP):
            render_ms(_PAUSE_S)
        time.sleep(_RECOVERY_S)
        with functions.expect_one_active():
            render_ms(_PAUSE_S)
        usual: list[float] = []
        after: dict[tuple[str, float], list[float]] = {}
        for _ in range(ROUNDS):
            for kind, end in kinds.items():
                for delay_s in _DELAYS_S:
                    time.sleep(_RECOVERY_S)
                    usual.append(render_ms(_PAUSE_S))
                    time.sleep(_RECOVERY_S)
                    with functions.expect_one_active():
                        end()
                        after.setdefault((kind, delay_s), []).append(render_ms(delay_s))
    return _report(usual, after)


def _report(usual: list[float], after: Mapping[tuple[str, float], list[float]]) -> int:
    _print_row("isolation, ms", "p50", "p90", "slowest", "ratio")
    medians = []
    rows = {"usual": usual} | {
        f"after one {kind}, {delay_s:g} s later": times for (kind, delay_s), times in after.items()
    }
    for name, times in rows.items():
        p50, p90 = statistics.median(times), statistics.quantiles(times, n=10)[-1]
        medians.append(p50)
        ratio = p50 / medians[0]
        _print_row(name, *(f"{value:.1f}" for value in (p50, p90, max(times))), f"{ratio:.2f}")
    worst = max(medians[1:]) / medians[0]
    _print_row(f"isolation: {worst:.2f} (limit {LIMIT})")
    return int(worst > LIMIT)


class _ErrorClient(BenchClient):
    def expect_error(self, html: str, timeout_ms: int, code: str) -> None:
        """Render a document that fails; raises AssertionError for any other error code."""
        body = {
            "input": {"type": "html", "html": html},
            "output": {"wait": {"timeout_ms": timeout_ms}},
            "delivery": {"type": "binary"},
        }
        self._connection.request("POST", "/v1/renders", json.dumps(body), self._headers)
        response = self._connection.getresponse()
        content = json.loads(response.read())
        assert content["code"] == code, (response.status, content)


class _RenderProcesses:
    """Processes of the render function, and their browsers."""

    def __init__(self, stack: RunningStack) -> None:
        self._processes = [
            process
            for process in psutil.Process(stack.pid).children(recursive=True)
            if _HANDLER in process.cmdline()
        ]
        assert self._processes
        self._last_active = self._processes[0]

    @contextlib.contextmanager
    def expect_one_active(self) -> Iterator[None]:
        """Assert that only one of them renders inside the block."""
        before = [_descendants(process) for process in self._processes]
        yield
        # Wait until the used page is closed and the next one is prepared.
        time.sleep(_PAUSE_S)
        changed = [
            process
            for process, old in zip(self._processes, before, strict=True)
            if _descendants(process) != old
        ]
        assert len(changed) == 1, f"{len(changed)} processes of the function rendered, not one"
        self._last_active = changed[0]

    def kill_browser(self) -> None:
        """Kill the browser of the process that rendered last with SIGKILL."""
        # Of its two browsers, the one in use has the most processor time.
        browsers = [
            child for child in self._last_active.children(recursive=True) if _is_browser(child)
        ]
        max(browsers, key=lambda browser: sum(browser.cpu_times()[:2])).kill()


def _descendants(process: psutil.Process) -> set[int]:
    return {child.pid for child in process.children(recursive=True)}


def _is_browser(process: psutil.Process) -> bool:
    """Tell whether a process is a browser's main process, not its supervisor or a child."""
    try:
        command = process.cmdline()
    except psutil.NoSuchProcess:
        return False
    return "--remote-debugging-pipe" in command[1:] and "-I" not in command


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(46) + "".join(cell.rjust(10) for cell in rest) + "\n")
