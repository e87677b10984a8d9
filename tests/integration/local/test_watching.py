"""A stack that is watched: readiness, metrics, traces, and the rotation of its log."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, override

import pytest

from infra.local.emulators import StackError
from infra.local.paths import free_port
from infra.local.running_stack import RunningStack, running_stack
from infra.template import ROOT
from tests.builders.stack.operator_environment import operator_environment
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration

TRACE: Final = "4bf92f3577b34da6a3ce929d0e0e4736"


class Collector:
    """Collector of spans."""

    def __init__(self) -> None:
        self.spans: list[dict[str, Any]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for each in body["resourceSpans"]:
                    for scope in each["scopeSpans"]:
                        collector.spans += scope["spans"]
                self.send_response(200)
                self.end_headers()

            @override
            def log_message(self, format: str, *args: object) -> None:
                """Write nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def named(self, name: str) -> list[dict[str, Any]]:
        return [span for span in self.spans if span["name"] == name and span["traceId"] == TRACE]


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    made = Collector()
    threading.Thread(target=made.server.serve_forever, daemon=True).start()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture(scope="module")
def metrics_url() -> str:
    return f"http://127.0.0.1:{free_port()}"


@pytest.fixture(scope="module")
def watched(collector: Collector, metrics_url: str) -> Iterator[RunningStack]:
    with running_stack(
        PLATEN_METRICS=metrics_url.removeprefix("http://"),
        OTEL_EXPORTER_OTLP_ENDPOINT=f"http://127.0.0.1:{collector.server.server_port}",
    ) as running:
        yield running


def get(url: str) -> tuple[int, bytes]:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.read()


def render(stack: RunningStack) -> dict[str, Any]:
    body = {"input": {"type": "html", "html": "<h1>{{ a }}</h1>"}, "data": {"a": 1}}
    request = urllib.request.Request(
        f"{stack.base_url}/renders",
        json.dumps(body).encode(),
        {
            "Authorization": f"Bearer {stack.live_key}",
            "Content-Type": "application/json",
            "traceparent": f"00-{TRACE}-00f067aa0ba902b7-01",
        },
    )
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        made: dict[str, Any] = json.load(answer)
    return made


def test_a_render_is_in_the_metrics_without_its_workspace(
    watched: RunningStack, metrics_url: str
) -> None:
    made = render(watched)
    assert made["status"] == "succeeded"

    def exposition() -> str:
        return get(f"{metrics_url}/metrics")[1].decode()

    eventually(lambda: 'platen_renders_total{status="succeeded"}' in exposition())
    text = exposition()
    assert 'platen_http_requests_total{method="POST",route="/v1/renders",status="200"}' in text
    assert 'platen_render_stage_seconds_count{stage="print"}' in text
    assert 'platen_queue_oldest_message_age_seconds{queue="renders"}' in text
    assert re.search(r'platen_memory_bytes\{part="engine"\} [1-9]', text)
    assert re.search(r'platen_memory_bytes\{part="ministack"\} [1-9]', text)
    assert "platen_ready 1.0" in text
    assert "platen_scrape_errors_total{" not in text
    assert watched.workspace not in text
    assert made["id"] not in text


def test_a_render_is_one_trace_with_the_stages_of_its_engine(
    watched: RunningStack, collector: Collector
) -> None:
    render(watched)

    eventually(lambda: bool(collector.named("POST /v1/renders")))
    eventually(lambda: bool(collector.named("render")))
    request, run, engine = (
        collector.named(name)[-1] for name in ("POST /v1/renders", "render", "engine")
    )
    stages = [each for each in collector.spans if each.get("parentSpanId") == engine["spanId"]]
    assert run["parentSpanId"] == request["spanId"]
    assert engine["parentSpanId"] == run["spanId"]
    assert {each["name"] for each in stages} >= {"template", "load", "print", "finish"}
    for stage in stages:
        assert engine["startTimeUnixNano"] <= stage["startTimeUnixNano"]
        assert stage["endTimeUnixNano"] <= engine["endTimeUnixNano"]
    assert '"span"' not in (watched.folder / "functions.log").read_text(encoding="utf-8")


def test_a_rotation_that_signals_and_empties_the_log_does_no_harm(watched: RunningStack) -> None:
    log = watched.folder / "stack.log"
    os.kill(watched.pid, signal.SIGHUP)
    with log.open("r+b") as file:
        file.truncate()

    made = render(watched)
    eventually(lambda: log.stat().st_size > 0)
    lines = log.read_bytes().splitlines()
    assert made["status"] == "succeeded"
    assert b"\0" not in log.read_bytes()
    assert all(json.loads(line) for line in lines)


def test_the_doctor_finds_the_service_well(watched: RunningStack) -> None:
    command = ["doctor", "disk", "state", "providers", "public-url", "clock", "--json"]
    done = subprocess.run(
        [sys.executable, "-c", "from infra.operator.cli import main; main()", *command],
        cwd=ROOT,
        env=os.environ
        | operator_environment(watched)
        | {"PLATEN_BASE_URL": watched.base_url, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    rows = {row["check"]: row for row in json.loads(done.stdout)["data"]}
    for check in ("table: main", "table: transient", "bucket", "queues", "public URL"):
        assert rows[check]["status"] == "ok", rows[check]


def test_a_wrong_address_of_metrics_stops_the_start() -> None:
    with (
        pytest.raises(StackError, match=r"PLATEN_METRICS=9464 is no address and port like"),
        running_stack(PLATEN_METRICS="9464"),
    ):
        pass


def test_a_nearly_full_disk_is_not_ready() -> None:
    with running_stack(PLATEN_MIN_FREE_MB="999999999") as stack:
        status, body = get(f"{stack.own_url}/readyz")

        assert status == 503
        (missing,) = json.loads(body)["missing"]
        assert missing["part"] == "disk"
        # It goes on: readiness only tells.
        assert render(stack)["status"] == "succeeded"


def test_a_stack_says_that_it_starts_and_then_that_it_is_ready(tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "infra.local", "up", "--port", str(port)]
    process = subprocess.Popen(
        [*command, "--dir", str(tmp_path)],
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    seen: list[tuple[int, str]] = []
    try:
        until = time.monotonic() + PATIENCE_S
        while (not seen or seen[-1][0] != 200) and time.monotonic() < until:
            try:
                status, body = get(f"http://127.0.0.1:{port}/readyz")
            except urllib.error.URLError:
                time.sleep(0.02)
                continue
            if not seen or seen[-1] != (status, body.decode()):
                seen.append((status, body.decode()))
    finally:
        process.terminate()
        process.wait(PATIENCE_S)

    assert [status for status, _ in seen] == [503, 200]
    assert "it is starting" in seen[0][1]
