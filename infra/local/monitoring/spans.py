"""Export of spans to an OpenTelemetry collector: OTLP over HTTP, as JSON (decision 79).

Functions write their spans as log lines; here they are sent on. Off unless
OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set.
"""

import json
import os
import queue
import threading
import urllib.request
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Self
from urllib.parse import unquote, urlsplit

from chalicelib.core.version import VERSION

_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_TRACES_ENDPOINT: Final = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
_HEADERS: Final = "OTEL_EXPORTER_OTLP_HEADERS"
_PROTOCOL: Final = "OTEL_EXPORTER_OTLP_PROTOCOL"
_SERVICE: Final = "OTEL_SERVICE_NAME"
_PATH: Final = "/v1/traces"
# A collector takes both encodings at the same address.
_PROTOCOLS: Final = ("", "http/json", "http/protobuf")
_MAX_WAITING: Final = 10_000
_BATCH: Final = 500
_PAUSE_S: Final = 1.0
_TIMEOUT_S: Final = 10.0


class ExportError(Exception):
    """A variable has no usable value; the message names it."""


class ExportTarget(NamedTuple):
    """Collector: its URL, the headers that it wants, and the name of this service there."""

    url: str
    headers: Mapping[str, str]
    service: str

    @classmethod
    def from_variables(cls, variables: Mapping[str, str] = os.environ) -> Self | None:
        """Read the standard variables; the result is None if none is set. Raises ExportError."""
        if not exports_spans(variables):
            return None
        base = variables.get(_ENDPOINT, "").rstrip("/")
        name = _TRACES_ENDPOINT if variables.get(_TRACES_ENDPOINT) else _ENDPOINT
        url = variables.get(_TRACES_ENDPOINT) or f"{base}{_PATH}"
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            message = f"{name}={variables[name]} is no URL like http://127.0.0.1:4318"
            raise ExportError(message)
        protocol = variables.get(_PROTOCOL, "")
        if protocol not in _PROTOCOLS:
            message = f"{_PROTOCOL}={protocol} is not offered: name the collector's HTTP port"
            raise ExportError(message)
        return cls(url, _headers(variables.get(_HEADERS, "")), variables.get(_SERVICE) or "platen")


def exports_spans(variables: Mapping[str, str] = os.environ) -> bool:
    """Tell whether an address for spans is set."""
    return bool(variables.get(_ENDPOINT) or variables.get(_TRACES_ENDPOINT))


def _headers(text: str) -> dict[str, str]:
    """Read `name=value,name=value`, percent-encoded."""
    headers = {}
    for pair in filter(None, (each.strip() for each in text.split(","))):
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise ExportError(f"{_HEADERS} has no pairs like name=value")
        headers[unquote(name.strip())] = unquote(value.strip())
    return headers


class SpanExporter:
    """Observer of the console that sends spans in batches; nothing waits for it.

    Spans are dropped while the collector does not answer; `note` is told at the first time.
    """

    def __init__(self, target: ExportTarget, note: Callable[[str], None]) -> None:
        """Start the thread that sends."""
        self._target = target
        self._note = note
        self._spans: queue.Queue[Mapping[str, Any]] = queue.Queue(_MAX_WAITING)
        self._closing = threading.Event()
        self._is_failing = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="spans")
        self._thread.start()

    def on_request(self, method: str, route: str, status: int, ms: float) -> None:
        """Take a request: the API function writes its span."""

    def on_invocation(self, function: str, ms: float, status: str) -> None:
        """Take an invocation: the function writes its span."""

    def on_line(self, record: Mapping[str, Any]) -> None:
        """Take a log line, which may be a span."""
        span = record.get("span")
        if isinstance(span, Mapping):
            try:
                self._spans.put_nowait(span)
            except queue.Full:
                self._fail("spans come faster than they can be sent")

    def close(self) -> None:
        """Send what waits, and end."""
        self._closing.set()
        self._thread.join(_TIMEOUT_S)

    def _run(self) -> None:
        while not self._closing.wait(_PAUSE_S):
            self._send_waiting()
        self._send_waiting()

    def _send_waiting(self) -> None:
        while batch := self._take():
            try:
                self._send(batch)
            except (OSError, ValueError) as error:
                self._fail(f"{self._target.url}: {error}")
                return
            self._is_failing = False

    def _take(self) -> list[Mapping[str, Any]]:
        batch: list[Mapping[str, Any]] = []
        while len(batch) < _BATCH:
            try:
                batch.append(self._spans.get_nowait())
            except queue.Empty:
                break
        return batch

    def _send(self, batch: list[Mapping[str, Any]]) -> None:
        body = json.dumps(export_request(batch, self._target.service)).encode()
        headers = {**self._target.headers, "Content-Type": "application/json"}
        request = urllib.request.Request(self._target.url, body, headers)  # noqa: S310 -- checked
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S):  # noqa: S310 -- checked
            pass

    def _fail(self, reason: str) -> None:
        if not self._is_failing:
            self._note(f"traces: spans are lost: {reason}")
        self._is_failing = True


def export_request(spans: list[Mapping[str, Any]], service: str) -> dict[str, Any]:
    """Return OTLP's ExportTraceServiceRequest in its JSON form."""
    resource = {"service.name": service, "service.version": VERSION}
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in resource.items()]
    scope = {"name": "platen", "version": VERSION}
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": attributes},
                "scopeSpans": [{"scope": scope, "spans": spans}],
            }
        ]
    }
