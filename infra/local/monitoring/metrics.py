"""Metrics for Prometheus that are counted from the lines of the console.

Functions write their metrics as log lines in CloudWatch's embedded format (EMF), on AWS as well as
here. `EMF_METRICS` gives each its name for Prometheus, so both tell the same (decision 79).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from prometheus_client import CollectorRegistry, Counter, Histogram

from infra.local.gateway.events import METHODS

PREFIX: Final = "platen_"
_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)
_MS_PER_S: Final = 1000
# Labels come from the service's own code; what is no such word would be a mistake, or a caller's.
_WORD: Final = re.compile(r"[a-z0-9_]{1,64}")
_OTHER: Final = "other"


@dataclass(frozen=True, slots=True)
class MetricDefinition:
    """Metric for Prometheus; `fixed` are labels whose value its EMF metric implies."""

    name: str
    kind: Literal["counter", "histogram"]
    meaning: str
    labels: tuple[str, ...] = ()
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def label_names(self) -> tuple[str, ...]:
        """Return the names of all labels."""
        return (*self.labels, *self.fixed)


def _stage(stage: str) -> MetricDefinition:
    return MetricDefinition(
        "platen_render_stage_seconds",
        "histogram",
        "time of the stages of renders that have ended",
        fixed={"stage": stage},
    )


# By the names of the EMF metrics. The label `function` is the EMF dimension `service`.
EMF_METRICS: Final[Mapping[str, MetricDefinition]] = {
    "Renders": MetricDefinition(
        "platen_renders", "counter", "renders that have ended", ("status",)
    ),
    "Failures": MetricDefinition(
        "platen_render_failures", "counter", "renders that have failed, by error code", ("code",)
    ),
    "Attempts": MetricDefinition(
        "platen_render_attempts", "counter", "attempts of renders that have ended"
    ),
    "QueueWait": _stage("queue"),
    "TemplateStage": _stage("template"),
    "LoadStage": _stage("load"),
    "PrintStage": _stage("print"),
    "FinishStage": _stage("finish"),
    "ValidateStage": _stage("validate"),
    "StoreStage": _stage("store"),
    "Total": MetricDefinition(
        "platen_render_seconds", "histogram", "time from acceptance to the end of a render"
    ),
    "EventLag": MetricDefinition(
        "platen_event_lag_seconds", "histogram", "time from an event to its publication"
    ),
    "ColdStarts": MetricDefinition(
        "platen_function_starts", "counter", "starts of a function's processes", ("function",)
    ),
    "BrowserRecycles": MetricDefinition(
        "platen_browser_recycles", "counter", "browsers that engines have replaced", ("reason",)
    ),
    "WallsMissing": MetricDefinition(
        "platen_walls_missing",
        "counter",
        "walls around documents that the platform has refused",
        ("function",),
    ),
    "DueHandedOut": MetricDefinition(
        "platen_due_items", "counter", "due items that the tick has handed out"
    ),
    "DueLateness": MetricDefinition(
        "platen_due_lateness_seconds", "histogram", "age of the oldest due item of a tick"
    ),
    "MiscountedBatches": MetricDefinition(
        "platen_miscounted_batches", "counter", "looks at batches that stay open by mistake"
    ),
    "DeadLetters": MetricDefinition(
        "platen_dead_letters", "counter", "messages that were given up", ("queue",)
    ),
    "WebhookAttempts": MetricDefinition(
        "platen_webhook_attempts",
        "counter",
        "attempts of webhook deliveries, by the delivery's status after it",
        ("status",),
    ),
    "EmailAttempts": MetricDefinition(
        "platen_email_attempts",
        "counter",
        "attempts to send emails, by the email's status after it",
        ("status",),
    ),
    "UploadResults": MetricDefinition(
        "platen_upload_results",
        "counter",
        "results of uploads of files to storage, by the upload's status after it",
        ("status",),
    ),
}
_REQUESTS: Final = MetricDefinition(
    "platen_http_requests", "counter", "HTTP requests", ("method", "route", "status")
)
_REQUEST_SECONDS: Final = MetricDefinition(
    "platen_http_request_seconds", "histogram", "time of HTTP requests", ("method", "route")
)
_INVOCATIONS: Final = MetricDefinition(
    "platen_invocations",
    "counter",
    "invocations of functions other than the API's",
    ("function", "outcome"),
)
_INVOCATION_SECONDS: Final = MetricDefinition(
    "platen_invocation_seconds",
    "histogram",
    "time of invocations of functions other than the API's",
    ("function",),
)
COUNTED: Final = (
    _REQUESTS,
    _REQUEST_SECONDS,
    _INVOCATIONS,
    _INVOCATION_SECONDS,
    *EMF_METRICS.values(),
)


class CountedMetrics:
    """Metrics that follow the console (see `ConsoleObserver`); thread-safe."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Add all metrics to `registry`; those without labels begin with 0."""
        self._metrics: dict[str, Counter | Histogram] = {
            definition.name: _metric(definition, registry)
            for definition in {each.name: each for each in COUNTED}.values()
        }

    def on_request(self, method: str, route: str, status: int, ms: float) -> None:
        """Count an HTTP request; `route` is a pattern, such as `/v1/renders/{id}`."""
        method = method if method in METHODS else _OTHER
        self._add(_REQUESTS, {"method": method, "route": route, "status": str(status)}, 1)
        self._add(_REQUEST_SECONDS, {"method": method, "route": route}, ms / _MS_PER_S)

    def on_invocation(self, function: str, ms: float, status: str) -> None:
        """Count an invocation of a function, which has its logical id."""
        label = function_label(function)
        outcome = "ok" if status == "ok" else "error"
        self._add(_INVOCATIONS, {"function": label, "outcome": outcome}, 1)
        self._add(_INVOCATION_SECONDS, {"function": label}, ms / _MS_PER_S)

    def on_line(self, record: Mapping[str, Any]) -> None:
        """Count the metrics of a log line, if it is one in the embedded format."""
        header = record.get("_aws")
        if not isinstance(header, Mapping):
            return
        for directive in header["CloudWatchMetrics"]:
            for metric in directive["Metrics"]:
                definition = EMF_METRICS.get(metric["Name"])
                if definition is not None:
                    self._add_emf(definition, record, record[metric["Name"]])

    def _add_emf(self, definition: MetricDefinition, line: Mapping[str, Any], values: Any) -> None:
        labels = {
            label: _word(line.get("service" if label == "function" else label))
            for label in definition.labels
        }
        scale = _MS_PER_S if definition.kind == "histogram" else 1
        for value in values if isinstance(values, list) else [values]:
            self._add(definition, {**labels, **definition.fixed}, value / scale)

    def _add(self, definition: MetricDefinition, labels: Mapping[str, str], value: float) -> None:
        metric = self._metrics[definition.name]
        child = metric.labels(**labels) if labels else metric
        if isinstance(child, Counter):
            child.inc(value)
        else:
            child.observe(value)


def function_label(logical_id: str) -> str:
    """Return the name of a function as its folder has it: `pdf_tools` of `PdfToolsFunction`."""
    name = logical_id.removesuffix("Function").removesuffix("Handler")
    return snake_case(name)


def snake_case(name: str) -> str:
    """Return a name such as `RendersLow` as `renders_low`, and `API` as `api`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _word(value: object) -> str:
    return value if isinstance(value, str) and _WORD.fullmatch(value) else _OTHER


def _metric(definition: MetricDefinition, registry: CollectorRegistry) -> Counter | Histogram:
    names = definition.label_names
    if definition.kind == "counter":
        return Counter(definition.name, definition.meaning, names, registry=registry)
    return Histogram(
        definition.name, definition.meaning, names, registry=registry, buckets=_BUCKETS
    )
