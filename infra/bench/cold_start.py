"""Benchmark: cold start of the engine function up to its first PDF (decision 7).

`make bench NAME=cold`: sync renders over HTTP, each in a new process of the engine. It is
started as the stack starts it, warmed as in Lambda's init, and used once. In turn, fresh processes
start the bare browser and print the same document, and import boto3 and create four clients: no
cold start can avoid either. The time ends with the function's answer, so the file is in the bucket,
the final state in the table and its event in the queue. Printed separately: the same document from
its template, whose template process starts too, and the unpacking of Chromium on Lambda.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.chromium.unpack import unpack
from infra.bench.documents import print_options, render_request
from infra.bench.in_process import environment
from infra.bench.latency import BenchClient
from infra.local.examples import example_request
from infra.local.functions import LambdaFunction
from infra.local.paths import INSTALL_DIR
from infra.local.processes import Spawner
from infra.local.runner.invocation import Invocation
from infra.local.runner.invoke_api import InvokeApi
from infra.local.runner.pool import WorkerPool
from infra.local.runner.process import InvocationAnswer, WorkerProcess
from infra.local.running_stack import RunningStack, running_stack
from infra.local.server import WsgiServer
from infra.template import ROOT

LIMIT: Final = 1.6
ROUNDS: Final = 15
_WARM_UP: Final = 2
_UNPACK_ROUNDS: Final = 3
# The processes of a round end before the next round starts.
_PAUSE_S: Final = 0.5
_HANDLER: Final = "functions.engine.handler.handler"
_RENDER_HANDLER: Final = "functions.render.handler.handler"
_BROWSER_SCRIPT: Final = """
import json, sys
from infra.bench.bare_browser import BareBrowser
html, options = json.loads(sys.argv[1])
with BareBrowser() as browser:
    assert browser.print_document(browser.page(), html, options).startswith(b"%PDF-")
    print("done", flush=True)
"""
_BOTO3_SCRIPT: Final = """
import boto3
for service in ("dynamodb", "s3", "sqs", "lambda"):
    boto3.client(service, region_name="us-east-1")
print("done", flush=True)
"""
_ROW_NAMES: Final = {
    "browser": "bare browser, start and one print",
    "boto3": "boto3 and four clients",
    "init": "engine function, init",
    "first PDF": "engine function, init and first PDF",
    "template": "apart: the same from its template",
    "unpacking": "apart: unpacking the browser's layer",
}


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    body = render_request()
    payload = json.dumps(body).encode()
    template = json.dumps({**example_request("invoice", "pdf"), "delivery": body["delivery"]})
    document = json.dumps([body["input"]["html"], print_options(body)])
    times: dict[str, list[float]] = {name: [] for name in _ROW_NAMES}
    times["unpacking"] = [_unpack_seconds() for _ in range(_UNPACK_ROUNDS)]
    pools: dict[str, WorkerPool] = {}
    # A render waits for the engine in one of the threads.
    invoke_api = WsgiServer(InvokeApi(pools), threads=4)
    invoke_api.start()
    # The functions of the stack invoke others at this process.
    os.environ["AWS_ENDPOINT_URL_LAMBDA"] = invoke_api.url
    with running_stack() as stack:
        function = _ColdFunction(stack)
        client = BenchClient(stack)
        render_function = _warm_render_function(stack)
        pools[render_function.function.name] = render_function
        for round_number in range(-_WARM_UP, ROUNDS):
            measured = {
                "browser": _script_seconds(_BROWSER_SCRIPT, document),
                "boto3": _script_seconds(_BOTO3_SCRIPT),
                **function.first_pdf(pools, client, payload),
                "template": function.first_pdf(pools, client, template.encode())["first PDF"],
            }
            if round_number >= 0:
                for name, seconds in measured.items():
                    times[name].append(seconds)
        render_function.close()
    invoke_api.close()
    return _report(times)


class _ColdFunction:
    """Engine function of the stack, with a new process for each invocation."""

    def __init__(self, stack: RunningStack) -> None:
        self._function = _function("EngineFunction", _HANDLER, stack)
        self._environment = environment(stack, _HANDLER)
        self._spawner = Spawner()
        self._started_at = 0.0
        self._seconds: dict[str, float] = {}

    def first_pdf(
        self, pools: dict[str, WorkerPool], client: BenchClient, payload: bytes
    ) -> Mapping[str, float]:
        """Render once; return the seconds to the end of init and to the PDF."""
        pool = WorkerPool(self._function, self._launch, report=self._report)
        pools[self._function.name] = pool
        pdf = client.render(payload)
        assert pdf.startswith(b"%PDF-"), pdf[:200]
        pool.close()
        time.sleep(_PAUSE_S)
        return self._seconds

    def _launch(self) -> WorkerProcess:
        self._started_at = time.perf_counter()
        return WorkerProcess(self._function, self._environment, self._spawner, _drop_line)

    def _report(
        self,
        _function: LambdaFunction,
        _invocation: Invocation,
        answer: InvocationAnswer,
        seconds: float,
    ) -> None:
        total = time.perf_counter() - self._started_at
        if answer.error:
            sys.stderr.write(answer.payload.decode() + "\n")
        self._seconds = {"init": total - seconds, "first PDF": total}


def _drop_line(_line: str) -> None:
    """Discard a log line of the function."""


def _warm_render_function(stack: RunningStack) -> WorkerPool:
    """Return the render function in a process of its own, ready to serve."""
    function = _function("RenderFunction", _RENDER_HANDLER, stack)
    variables = environment(stack, _RENDER_HANDLER)
    spawner = Spawner()

    def launch() -> WorkerProcess:
        return WorkerProcess(function, variables, spawner, _drop_line)

    pool = WorkerPool(function, launch, report=_ignore_answer)
    for start in pool.warm_up():
        start.join()
    return pool


def _ignore_answer(
    _function: LambdaFunction, _invocation: Invocation, answer: InvocationAnswer, _seconds: float
) -> None:
    if answer.error:
        sys.stderr.write(answer.payload.decode() + "\n")


def _function(logical_id: str, handler: str, stack: RunningStack) -> LambdaFunction:
    return LambdaFunction(
        logical_id=logical_id,
        name=stack.resources[logical_id]["Ref"],
        handler=handler,
        timeout_s=60,
        memory_mb=2048,
        environment={},
        concurrency=1,
        warm_count=1,
        queues=(),
        schedules=(),
    )


def _script_seconds(script: str, *arguments: str) -> float:
    """Run a script in a fresh process; return the seconds until it prints `done`."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments], cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - started
    assert line == b"done\n", script
    time.sleep(_PAUSE_S)
    return seconds


def _unpack_seconds() -> float:
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        unpack(INSTALL_DIR / "chromium", Path(folder))
        return time.perf_counter() - started


def _report(times: Mapping[str, list[float]]) -> int:
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["first PDF"] / max(medians["browser"], medians["boto3"])
    _print_row("cold, ms", "median", "fastest", "slowest")
    for name, values in times.items():
        cells = (medians[name], min(values), max(values))
        _print_row(_ROW_NAMES[name], *(f"{1000 * value:.0f}" for value in cells))
    _print_row(f"cold: {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write((first.ljust(40) + "".join(cell.rjust(12) for cell in rest)).rstrip() + "\n")
