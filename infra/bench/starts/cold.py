"""Benchmark: cold start of the engine function up to its first PDF (decision 7).

Calls of the engine, each in a new process of it. It is started as the stack starts it, warmed as in
Lambda's init, and used once. In turn, fresh processes start the bare browser and print the same
document, and import boto3 and create four clients: no cold start of the service can avoid either.
Printed separately: the same document from its template, whose template process starts too.
"""

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from copy import replace
from functools import partial
from typing import Any, Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.job import PageJob
from chalicelib.engine.remote.calls import EngineAnswer, RunCall, call_to_json
from chalicelib.engine.remote.results import RunResult, decode_result
from chalicelib.engine.sources import HtmlSource
from infra.bench.documents import invoice_request, print_options, render_request
from infra.bench.functions import function_by_id, function_variables
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, Way, run_in_turns
from infra.local.processes import Spawner
from infra.local.runner.invocation import Invocation
from infra.local.runner.pool import WorkerPool
from infra.local.runner.process import WorkerProcess
from infra.local.running_stack import RunningStack
from infra.template import ROOT

LIMIT: Final = Limit(1.6)
# The processes of a round end before the next round starts.
FULL: Final = Rounds(15, warm_up=2, pause_s=0.5)
SMOKE: Final = Rounds(1, warm_up=0)
_TIMEOUT_S: Final = 60.0
_BROWSER: Final = "bare browser, start and one print"
_BOTO3: Final = "boto3 and four clients"
_COLD: Final = "engine function, init and first PDF"
_TEMPLATE: Final = "apart: the same from its template"
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


def measure(parts: Parts, report: Report, size: Rounds) -> None:
    """Print the table and the ratio."""
    body, template = render_request(), invoice_request()
    document = json.dumps([body["input"]["html"], print_options(body)])
    engine = _ColdEngine(parts.stack)
    ways: Mapping[str, Way] = {
        _BROWSER: partial(_script_s, _BROWSER_SCRIPT, document),
        _BOTO3: partial(_script_s, _BOTO3_SCRIPT),
        _COLD: partial(engine.first_pdf_s, body),
        _TEMPLATE: partial(engine.first_pdf_s, template),
    }
    times = run_in_turns(ways, size)
    times.show(report, "cold, ms")
    slower = max(_BROWSER, _BOTO3, key=times.median_ms)
    report.result(LIMIT, times.ratio(_COLD, slower))


class _ColdEngine:
    """Engine function of a stack, with a new process for each call."""

    def __init__(self, stack: RunningStack) -> None:
        function = function_by_id(stack, "EngineFunction")
        self._function = replace(function, concurrency=1, warm_count=0)
        self._variables = function_variables(stack, "EngineFunction")
        self._spawner = Spawner()

    def first_pdf_s(self, body: Mapping[str, Any]) -> float:
        """Make the PDF of a request in a new process; return the seconds until its answer."""
        payload = json.dumps(call_to_json(_call(body))).encode()
        pool = WorkerPool(self._function, self._launch, report=lambda *_: None)
        started = time.perf_counter()
        answer = pool.invoke(Invocation(payload))
        seconds = time.perf_counter() - started
        pool.close()
        assert answer.error is None, answer.payload
        content = EngineAnswer.from_json(json.loads(answer.payload)).content
        assert content is not None
        result, contents = decode_result(content, RunResult)
        assert result.outcome(contents).files[0].content.startswith(b"%PDF-")
        return seconds

    def _launch(self) -> WorkerProcess:
        return WorkerProcess(self._function, self._variables, self._spawner, lambda _line: None)


def _call(body: Mapping[str, Any]) -> RunCall:
    source = body["input"]
    return RunCall(
        ends_at=time.time() + _TIMEOUT_S,
        result_form=None,
        job=PageJob(
            HtmlSource(html=source["html"], templating=source.get("templating", False)),
            OutputOptions.from_json(body["output"]),
            data=body.get("data"),
        ),
        job_url=None,
        uploads={},
        stop_url=None,
        test=False,
    )


def _script_s(script: str, *arguments: str) -> float:
    """Run a script in a fresh process; return the seconds until it prints `done`."""
    started = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-c", script, *arguments], cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        seconds = time.perf_counter() - started
    assert line == b"done\n", script
    return seconds
