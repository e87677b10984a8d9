"""Metrics, readiness and spans of one machine, without a stack."""

import http.client
import io
import json
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, NamedTuple, override
from urllib.parse import urlsplit

import psutil
import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from chalicelib.adapters.metrics import Metrics, MetricValues
from infra.local.console import Console
from infra.local.ministack import with_age
from infra.local.monitoring import readiness as readiness_module
from infra.local.monitoring.collectors import (
    MEASURED,
    OLDEST_AGE,
    SCRAPE_ERRORS,
    MeasuredStack,
    StackCollector,
    bytes_by_part,
)
from infra.local.monitoring.listener import (
    ListenAddress,
    ListenerError,
    MetricsListener,
    metrics_address,
)
from infra.local.monitoring.metrics import COUNTED, EMF_METRICS, CountedMetrics, function_label
from infra.local.monitoring.readiness import (
    PartCheck,
    Readiness,
    ReadinessError,
    ReadinessFront,
    disk_check,
    min_free_bytes,
)
from infra.local.monitoring.spans import ExportError, ExportTarget, SpanExporter
from infra.local.paths import free_port
from infra.template import ROOT
from tests.builders.waiting import eventually
from tests.unit.infra.test_runner import function, pool

DASHBOARD: Final = ROOT / "infra" / "local" / "monitoring" / "grafana-dashboard.json"
PAGE: Final = ROOT / "docs" / "watch.md"
IDLE: Final = {
    "ApproximateNumberOfMessages": "3",
    "ApproximateNumberOfMessagesNotVisible": "2",
    "ApproximateNumberOfMessagesDelayed": "1",
    OLDEST_AGE: "70",
}


def samples(text: str) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
    """Return all samples of an exposition, which is read by the library's own parser."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return samples(generate_latest(registry).decode()).get((name, frozenset(labels.items())))


@pytest.fixture
def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
def console(registry: CollectorRegistry) -> Console:
    made = Console(as_json=True, out=io.StringIO())
    made.observers.append(CountedMetrics(registry))
    return made


@pytest.fixture
def logged(
    console: Console, capsys: pytest.CaptureFixture[str]
) -> Callable[[str, MetricValues], None]:
    """Give the writer of metrics as a function writes them, whose lines reach the console."""

    def write(service: str, values: MetricValues) -> None:
        Metrics("platen", service).write(values)
        for line in capsys.readouterr().out.splitlines():
            console.log_line("RenderFunction", line)

    return write


def test_metrics_of_functions_are_counted_from_their_lines(
    registry: CollectorRegistry, logged: Callable[[str, MetricValues], None]
) -> None:
    logged("relay", MetricValues("Count", {"Renders": 1}, {"status": "failed"}))
    logged("relay", MetricValues("Count", {"Failures": 1}, {"code": "render_lost"}))
    logged("relay", MetricValues("Milliseconds", {"PrintStage": 1500, "Total": 2500}))
    logged("engine", MetricValues("Count", {"WallsMissing": 1}))
    logged("relay", MetricValues("Count", {"Unheard": 1}))

    assert value(registry, "platen_renders_total", status="failed") == 1
    assert value(registry, "platen_render_failures_total", code="render_lost") == 1
    assert value(registry, "platen_render_stage_seconds_sum", stage="print") == 1.5
    assert value(registry, "platen_render_seconds_sum") == 2.5
    assert value(registry, "platen_walls_missing_total", function="engine") == 1


def test_labels_are_words_of_the_service_only(
    registry: CollectorRegistry, logged: Callable[[str, MetricValues], None], console: Console
) -> None:
    for code in ("ws_01ABC", "a b", "x" * 65, "https://tenant.test"):
        logged("relay", MetricValues("Count", {"Failures": 1}, {"code": code}))
    console.log_request("BREW", "/v1/renders/rnd_1", 405, 2, "r", route="/v1/renders/{id}")
    console.log_request("GET", "/secret-of-tenant", 404, 2, "r")

    text = generate_latest(registry).decode()
    assert value(registry, "platen_render_failures_total", code="other") == 4
    labels = {"method": "other", "route": "/v1/renders/{id}", "status": "405"}
    assert value(registry, "platen_http_requests_total", **labels) == 1
    assert "unmatched" in text
    assert not re.search("tenant|rnd_1|ws_01|BREW", text)


def test_requests_and_invocations_are_counted_and_timed(
    registry: CollectorRegistry, console: Console
) -> None:
    console.log_request("GET", "/v1/renders", 200, 250, "r", route="/v1/renders")
    console.log_invocation("PdfToolsFunction", 1500, "ok", "r")
    console.log_invocation("PdfToolsFunction", 500, "Unhandled", "r")

    route = {"method": "GET", "route": "/v1/renders"}
    assert value(registry, "platen_http_requests_total", status="200", **route) == 1
    assert value(registry, "platen_http_request_seconds_sum", **route) == 0.25
    name = "platen_invocations_total"
    assert value(registry, name, function="pdf_tools", outcome="ok") == 1
    assert value(registry, name, function="pdf_tools", outcome="error") == 1
    assert value(registry, "platen_invocation_seconds_sum", function="pdf_tools") == 2


def test_functions_have_the_names_of_their_folders() -> None:
    ids = ("APIHandler", "RenderFunction", "PdfToolsFunction", "SendEmailFunction")

    assert [function_label(each) for each in ids] == ["api", "render", "pdf_tools", "send_email"]


def test_every_metric_that_the_product_writes_is_exported() -> None:
    sources = [
        path.read_text(encoding="utf-8")
        for folder in ("chalicelib", "functions")
        for path in (ROOT / folder).rglob("*.py")
    ]
    counted = {name for text in sources for name in re.findall(r'[.)]count\(\s*"(\w+)"', text)}
    counted |= {
        name for text in sources for name in re.findall(r'_count\(\w+(?:\.\w+)?, "(\w+)"', text)
    }
    written = {
        name
        for text in sources
        for group in re.findall(r"MetricValues\(\s*\"\w+\",\s*\{([^}]*)\}", text)
        for name in re.findall(r'"(\w+)":', group)
    }
    (stages,) = [text for text in sources if "_STAGE_METRICS: Final" in text]
    staged = set(re.findall(r'_ms": "(\w+)"', stages))

    assert counted >= {"WebhookAttempts", "DeadLetters"}
    assert staged >= {"PrintStage", "Total"}
    assert counted | written | staged == EMF_METRICS.keys()


def measured_stack(folder: Path, **more: Any) -> MeasuredStack:
    fields: dict[str, Any] = {
        "pools": {},
        "queues": lambda: {"renders": "url"},
        "queue_attributes": lambda _url: IDLE,
        "parts": dict,
        "folder": folder,
        "is_ready": lambda: True,
    }
    return MeasuredStack(**fields | more)


def test_queues_functions_memory_and_disk_are_measured(
    registry: CollectorRegistry, tmp_path: Path
) -> None:
    with pool(function("functions.proxy", concurrency=2)) as running:
        for thread in running.warm_up():
            thread.join()
        StackCollector(measured_stack(tmp_path, pools={"f": running}), registry)
        label = function_label(running.function.logical_id)

        assert value(registry, "platen_queue_messages", queue="renders", state="waiting") == 3
        assert value(registry, "platen_queue_messages", queue="renders", state="in_flight") == 2
        assert value(registry, "platen_queue_messages", queue="renders", state="delayed") == 1
        assert value(registry, "platen_queue_oldest_message_age_seconds", queue="renders") == 70
        assert value(registry, "platen_workers", function=label) == running.size()
        assert value(registry, "platen_invocations_running", function=label) == 0
        assert value(registry, "platen_invocations_waiting", function=label) == 0
        assert (value(registry, "platen_memory_bytes", part="stack") or 0) > 1_000_000
        free = value(registry, "platen_data_free_bytes")
        assert free == pytest.approx(shutil.disk_usage(tmp_path).free, rel=0.2)
        assert value(registry, "platen_ready") == 1


def test_a_queue_without_an_age_has_none(registry: CollectorRegistry, tmp_path: Path) -> None:
    attributes = {name: count for name, count in IDLE.items() if name != OLDEST_AGE}
    StackCollector(measured_stack(tmp_path, queue_attributes=lambda _url: attributes), registry)

    assert value(registry, "platen_queue_oldest_message_age_seconds", queue="renders") is None
    assert value(registry, "platen_queue_messages", queue="renders", state="waiting") == 3


def test_a_source_that_fails_hides_no_other(registry: CollectorRegistry, tmp_path: Path) -> None:
    def fail(_url: str) -> Mapping[str, str]:
        raise OSError("no queue")

    StackCollector(measured_stack(tmp_path, queue_attributes=fail), registry)
    generate_latest(registry)

    assert value(registry, f"{SCRAPE_ERRORS}_total", source="queues") == 1
    assert value(registry, "platen_ready") == 1


def test_memory_belongs_to_the_nearest_part(tmp_path: Path) -> None:
    del tmp_path
    own = psutil.Process()

    assert bytes_by_part(own, {}).keys() == {"stack"}
    assert bytes_by_part(own, {own.pid: "render"}).keys() == {"render"}


def test_the_oldest_message_that_is_not_deleted_gives_the_age() -> None:
    refresh = with_age(lambda queue: queue["attributes"].update(seen="1"))
    now = time.time()
    queue: dict[str, Any] = {"attributes": {}, "messages": []}

    refresh(queue)
    assert queue["attributes"] == {"seen": "1", OLDEST_AGE: "0"}
    queue["messages"] = [{"sent_at": now - 5}, {"sent_at": now - 90}, {"sent_at": now + 9}]
    refresh(queue)
    assert 90 <= int(queue["attributes"][OLDEST_AGE]) < 120


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:9464", ("127.0.0.1", 9464)),
        ("[::1]:9464", ("::1", 9464)),
        ("0.0.0.0:1", ("0.0.0.0", 1)),  # noqa: S104 -- an address that a user may name
        ("metrics.internal:65535", ("metrics.internal", 65_535)),
    ],
)
def test_metrics_have_an_address_of_their_own(text: str, address: tuple[str, int]) -> None:
    assert metrics_address({"PLATEN_METRICS": text}) == ListenAddress(*address)


@pytest.mark.parametrize(
    "text", ["9464", ":9464", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:65536", "http://a:1", "a:b"]
)
def test_a_wrong_address_of_metrics_is_named(text: str) -> None:
    with pytest.raises(ListenerError, match=f"PLATEN_METRICS={re.escape(text)} is no address"):
        metrics_address({"PLATEN_METRICS": text})


def test_metrics_are_off_by_default() -> None:
    assert metrics_address({}) is None
    assert metrics_address({"PLATEN_METRICS": ""}) is None


@pytest.mark.enable_socket
def test_the_listener_serves_all_metrics_and_nothing_of_a_tenant(tmp_path: Path) -> None:
    console = Console(as_json=True, out=io.StringIO())
    address = ListenAddress("127.0.0.1", free_port())
    listener = MetricsListener(address, console, measured_stack(tmp_path))
    with closing(listener):
        console.log_request("GET", "/v1/renders", 200, 5, "r", route="/v1/renders")
        status, _, body = get(f"http://127.0.0.1:{address.port}/metrics")
        with pytest.raises(ListenerError, match=f"{address.port}: .*in use"):
            MetricsListener(address, console, measured_stack(tmp_path))

    assert status == 200
    assert exported_names(body.decode()) >= {each.name for each in COUNTED} | MEASURED.keys()


def exported_names(text: str) -> set[str]:
    """Return the names of all families that have a description, with or without samples."""
    return {family.name for family in text_string_to_metric_families(text)}


def test_the_dashboard_queries_metrics_that_exist() -> None:
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    queries = [
        target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())
    ]
    known = sample_names()
    used = {name for query in queries for name in re.findall(r"platen_\w+", query)}

    assert len(queries) > 30
    assert used - known.keys() == set()
    for query in queries:
        for name, group in re.findall(r"(platen_\w+)\{([^}]*)\}", query):
            assert set(re.findall(r"(\w+)=", group)) <= known[name], query
        (*_, labels) = re.findall(r"by \(([^)]*)\)", query) or [""]
        for label in filter(None, map(str.strip, labels.split(","))):
            names = re.findall(r"platen_\w+", query)
            assert all(label in known[name] | {"le"} for name in names), query
    # What is measured is also shown.
    stems = {re.sub("_(total|bucket)$", "", name) for name in used}
    assert {each.name for each in COUNTED} | MEASURED.keys() == stems - {SCRAPE_ERRORS}


def sample_names() -> dict[str, set[str]]:
    """Return the names that queries may use, with their labels."""
    known: dict[str, set[str]] = {f"{SCRAPE_ERRORS}_total": {"source"}}
    for metric in COUNTED:
        suffixes = ("_total",) if metric.kind == "counter" else ("_bucket", "_sum", "_count")
        known |= {f"{metric.name}{suffix}": set(metric.label_names) for suffix in suffixes}
    return known | {name: set(labels) for name, (_, labels) in MEASURED.items()}


def test_the_page_has_each_metric_with_its_labels_and_meaning() -> None:
    rows = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `plat")
    ]

    assert rows == list(metric_rows())


def metric_rows() -> Iterator[str]:
    definitions = {
        (f"{each.name}_total" if each.kind == "counter" else each.name): (
            each.kind,
            each.label_names,
            each.meaning,
        )
        for each in COUNTED
    }
    gauges = {name: ("gauge", labels, meaning) for name, (meaning, labels) in MEASURED.items()}
    errors = {f"{SCRAPE_ERRORS}_total": ("counter", ("source",), "measurements that have failed")}
    for name, (kind, labels, meaning) in (definitions | gauges | errors).items():
        shown = ", ".join(f"`{label}`" for label in labels) or "-"
        yield f"| `{name}` | {kind} | {shown} | {meaning} |"


def wsgi(application: Any, path: str, method: str = "GET") -> tuple[str, dict[str, str], bytes]:
    answer: list[Any] = []
    body = application(
        {"PATH_INFO": path, "REQUEST_METHOD": method}, lambda *head: answer.extend(head)
    )
    return answer[0], dict(answer[1]), b"".join(body)


def service(_environ: Mapping[str, Any], start: Any) -> list[bytes]:
    start("200 OK", [])
    return [b"service"]


def test_readiness_follows_the_life_of_a_stack() -> None:
    readiness = Readiness()
    front = ReadinessFront(readiness, "/platen")

    status, headers, body = wsgi(front, "/readyz")
    assert (status, headers["Retry-After"]) == ("503 Service Unavailable", "5")
    starting = {"part": "service", "detail": "it is starting"}
    assert json.loads(body) == {"status": "not_ready", "missing": [starting]}
    assert wsgi(front, "/v1/renders")[0] == "503 Service Unavailable"

    front.open(service)
    readiness.serve([])
    for path in ("/readyz", "/platen/readyz"):
        status, headers, body = wsgi(front, path)
        assert (status, json.loads(body)) == ("200 OK", {"status": "ready", "missing": []})
        assert headers["Cache-Control"] == "no-store"
    assert wsgi(front, "/readyz", "HEAD")[2] == b""
    assert wsgi(front, "/v1/renders")[2] == b"service"
    assert wsgi(front, "/readyz", "POST")[2] == b"service"

    readiness.stop()
    status, _, body = wsgi(front, "/readyz")
    assert status == "503 Service Unavailable"
    assert json.loads(body)["missing"][0]["detail"] == "it is stopping"


def test_what_is_missing_is_named_without_its_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness_module, "_KNOWN_FOR_S", 0)
    asked: list[str] = []

    def fail() -> str:
        asked.append("table")
        raise OSError("password=secret")

    readiness = Readiness()
    readiness.serve([PartCheck("tables", fail), PartCheck("bucket", lambda: None)])

    assert readiness.missing() == (("tables", "it does not answer (OSError)"),)
    readiness.missing()
    assert asked == ["table", "table"]


def test_parts_are_asked_once_a_second_however_many_look(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readiness_module, "_KNOWN_FOR_S", 3600)
    asked: list[None] = []
    readiness = Readiness()
    readiness.serve([PartCheck("tables", lambda: asked.append(None))])

    for _ in range(100):
        assert readiness.is_ready()
    assert len(asked) == 1


def test_a_disk_that_is_nearly_full_is_not_ready(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free

    assert disk_check(tmp_path, free // 2).problem() is None
    problem = disk_check(tmp_path, free * 2).problem()
    assert problem is not None
    assert "MB are free, fewer than" in problem


def test_the_bound_of_free_disk_is_a_number() -> None:
    assert min_free_bytes({}) == 512_000_000
    assert min_free_bytes({"PLATEN_MIN_FREE_MB": "0"}) == 0
    for wrong in ("1.5", "-1", "many", "²"):
        with pytest.raises(ReadinessError, match=f"PLATEN_MIN_FREE_MB={wrong}"):
            min_free_bytes({"PLATEN_MIN_FREE_MB": wrong})


class Exported(NamedTuple):
    """Requests that a collector has received."""

    url: str
    requests: list[tuple[str, dict[str, str], Any]]


@pytest.fixture
def collector() -> Iterator[Exported]:
    requests: list[tuple[str, dict[str, str], Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append((self.path, headers, json.loads(body)))
            self.send_response(200)
            self.end_headers()

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Exported(f"http://127.0.0.1:{server.server_port}", requests)
    server.shutdown()
    server.server_close()


@pytest.mark.enable_socket
def test_spans_are_sent_in_batches_and_stay_out_of_the_log(collector: Exported) -> None:
    shown = io.StringIO()
    console, notes = Console(as_json=True, out=shown), list[str]()
    target = ExportTarget.from_variables(
        {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{collector.url}/",
            "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20x, x-scope = a",
            "OTEL_SERVICE_NAME": "invoices",
        }
    )
    assert target is not None
    exporter = SpanExporter(target, notes.append)
    console.observers.append(exporter)
    for number in range(3):
        console.log_line("RenderFunction", json.dumps({"span": {"name": f"span {number}"}}))
    exporter.close()

    sent = [
        span["name"]
        for _, _, body in collector.requests
        for span in body["resourceSpans"][0]["scopeSpans"][0]["spans"]
    ]
    path, headers, body = collector.requests[0]
    resource = body["resourceSpans"][0]["resource"]["attributes"]
    assert sent == ["span 0", "span 1", "span 2"]
    assert path == "/v1/traces"
    assert (headers["authorization"], headers["x-scope"]) == ("Bearer x", "a")
    assert {"key": "service.name", "value": {"stringValue": "invoices"}} in resource
    assert (shown.getvalue(), notes) == ("", [])


@pytest.mark.enable_socket
def test_a_collector_that_is_down_is_noted_once_and_stops_nothing() -> None:
    notes = list[str]()
    target = ExportTarget(f"http://127.0.0.1:{free_port()}/v1/traces", {}, "platen")
    exporter = SpanExporter(target, notes.append)

    exporter.on_line({"span": {"name": "a"}})
    eventually(lambda: len(notes) == 1)
    exporter.on_line({"span": {"name": "b"}})
    exporter.close()

    assert len(notes) == 1
    assert "spans are lost" in notes[0]


def test_traces_are_off_without_an_address() -> None:
    assert ExportTarget.from_variables({}) is None


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "localhost:4317"}, "OTLP_ENDPOINT=localhost:4317 is no"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "ftp://a"}, "TRACES_ENDPOINT=ftp://a is no URL"),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
            "PROTOCOL=grpc is not offered",
        ),
        (
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://a", "OTEL_EXPORTER_OTLP_HEADERS": "key"},
            "HEADERS has no pairs",
        ),
    ],
)
def test_a_wrong_setting_of_traces_is_named(variables: dict[str, str], reason: str) -> None:
    with pytest.raises(ExportError, match=reason):
        ExportTarget.from_variables(variables)


def test_an_address_of_traces_alone_is_taken_as_it_is() -> None:
    target = ExportTarget.from_variables({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://a/b"})

    assert target == ("https://a/b", {}, "platen")


def get(url: str) -> tuple[int, Mapping[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=30)
    with closing(connection):
        connection.request("GET", parts.path)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
