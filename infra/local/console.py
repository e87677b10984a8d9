"""Console of the stack: a line per request and invocation, as text or JSON."""

import datetime as dt
import json
import sys
import threading
from collections.abc import Mapping
from typing import Any, Final, Protocol, TextIO

from chalicelib.core.text import terminal_text
from infra.local.log_file import LogFile

_SHOWN_LEVELS: Final = ("WARNING", "ERROR", "CRITICAL")
_TRAFFIC: Final = ("request", "invocation")


class ConsoleObserver(Protocol):
    """Port: what is told of each request, invocation and log line; it must be quick."""

    def on_request(self, method: str, route: str, status: int, ms: float) -> None:
        """Take a request."""

    def on_invocation(self, function: str, ms: float, status: str) -> None:
        """Take an invocation."""

    def on_line(self, record: Mapping[str, Any]) -> None:
        """Take a log line of a function that is a JSON object."""


class Console:
    """Thread-safe writer of whole lines."""

    def __init__(
        self,
        *,
        as_json: bool,
        shows_traffic: bool = True,
        out: TextIO | None = None,
        log_file: LogFile | None = None,
    ) -> None:
        """Write to `out`, each line as a JSON object if `as_json`.

        Requests and invocations are written if `shows_traffic` or `as_json`. All lines except notes
        are also appended to `log_file`, as JSON.
        """
        self.as_json = as_json
        self._shows_traffic = shows_traffic or as_json
        self._log_file = log_file
        self._out = out or sys.stdout
        self._lock = threading.Lock()
        self._last_failure = b""
        self.observers: list[ConsoleObserver] = []

    def note(self, text: str) -> None:
        """Write a note about the stack itself."""
        self._write(text, "note", {"message": text})

    def log_request(
        self,
        method: str,
        path: str,
        status: int,
        ms: float,
        request_id: str,
        *,
        route: str = "unmatched",
    ) -> None:
        """Write the line of one HTTP request; `route` is the pattern of its path."""
        for observer in self.observers:
            observer.on_request(method, route, status, ms)
        text = f"{_time()} {method:<6} {path}  {status}  {ms:.0f} ms  {request_id}"
        fields = {"method": method, "path": path, "status": status, "ms": round(ms, 1)}
        self._write(text, "request", {**fields, "request_id": request_id})

    def log_invocation(self, function: str, ms: float, status: str, request_id: str) -> None:
        """Write the line of one invocation."""
        for observer in self.observers:
            observer.on_invocation(function, ms, status)
        text = f"{_time()} {'invoke':<6} {function}  {status}  {ms:.0f} ms  {request_id}"
        fields = {"function": function, "ms": round(ms, 1), "status": status}
        self._write(text, "invocation", {**fields, "request_id": request_id})

    def log_failure(self, function: str, payload: bytes) -> None:
        """Write the traceback of a failed invocation; an identical repeat is dropped."""
        if payload == self._last_failure:
            return
        self._last_failure = payload
        failure = json.loads(payload)
        trace = "".join(failure.get("stackTrace") or ())
        reason = f"{failure.get('errorType')}: {failure.get('errorMessage')}"
        text = f"{_time()} {'error':<6} {function}  {trace.rstrip() or reason}"
        self._write(text, "failure", {"function": function, **failure})

    def log_line(self, function: str, line: str) -> None:
        """Write a log line of a function: as JSON all of them, as text warnings and errors."""
        record = _parse_record(line)
        if record is not None:
            for observer in self.observers:
                observer.on_line(record)
            if "span" in record:
                # Part of a trace, which goes elsewhere.
                return
        json_line = json.dumps(_as_record(function, line)) if record is None else line
        self._append_to_file(json_line)
        if self.as_json:
            self._print(json_line)
            return
        text = line if record is None else _record_text(record)
        if text:
            self._print(_escape_lines(f"{_time()} {'log':<6} {function}  {text}"))

    def _write(self, text: str, kind: str, fields: dict[str, Any]) -> None:
        json_line = json.dumps({"timestamp": _timestamp(), "kind": kind, **fields})
        # Notes contain API keys and belong to no request, so they stay out of the log file.
        if kind != "note":
            self._append_to_file(json_line)
        if kind in _TRAFFIC and not self._shows_traffic:
            return
        self._print(json_line if self.as_json else text if kind == "note" else _escape_lines(text))

    def _append_to_file(self, line: str) -> None:
        if self._log_file is not None:
            self._log_file.append(line)

    def _print(self, text: str) -> None:
        with self._lock:
            self._out.write(text + "\n")
            self._out.flush()


def _as_record(function: str, line: str) -> dict[str, str]:
    return {
        "timestamp": _timestamp(),
        "kind": "output",
        "function": function,
        "message": line,
    }


def _parse_record(line: str) -> dict[str, Any] | None:
    """Return the JSON object of a log line, or None for any other line."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def _record_text(record: dict[str, Any]) -> str:
    level = record.get("level", "INFO")
    if level not in _SHOWN_LEVELS:
        return ""
    text = f"{level} {record.get('message', '')}"
    if exception := record.get("exception"):
        text += f"\n{exception}"
    return text


def _escape_lines(text: str) -> str:
    """Return text whose line breaks are indented, so that it cannot forge a console line."""
    return terminal_text(text, allow_newlines=True).replace("\n", "\n  | ")


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _time() -> str:
    return _now().astimezone().strftime("%H:%M:%S")


def _timestamp() -> str:
    return _now().isoformat(timespec="milliseconds")
