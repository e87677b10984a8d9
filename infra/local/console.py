"""What the stack tells its user: a line per request and invocation, or JSON lines."""

import datetime as dt
import json
import sys
import threading
from typing import Any, Final, TextIO

from chalicelib.core.text import terminal_text
from infra.local.log_file import LogFile

_SHOWN_LEVELS: Final = ("WARNING", "ERROR", "CRITICAL")


class Console:
    """Writes whole lines, also when many threads speak at once."""

    def __init__(
        self, *, as_json: bool, out: TextIO | None = None, log_file: LogFile | None = None
    ) -> None:
        """With `as_json` every line is one JSON object; `kept` gets those of each request."""
        self.as_json = as_json
        self._log_file = log_file
        self._out = out or sys.stdout
        self._lock = threading.Lock()
        self._last_failure = b""

    def note(self, text: str) -> None:
        """Say something about the stack itself."""
        self._write(text, "note", {"message": text})

    def log_request(self, method: str, path: str, status: int, ms: float, request_id: str) -> None:
        """Tell of one HTTP request."""
        text = f"{_time()} {method:<6} {path}  {status}  {ms:.0f} ms  {request_id}"
        fields = {"method": method, "path": path, "status": status, "ms": round(ms, 1)}
        self._write(text, "request", {**fields, "request_id": request_id})

    def log_invocation(self, function: str, ms: float, status: str, request_id: str) -> None:
        """Tell of one invocation of a function."""
        text = f"{_time()} {'invoke':<6} {function}  {status}  {ms:.0f} ms  {request_id}"
        fields = {"function": function, "ms": round(ms, 1), "status": status}
        self._write(text, "invocation", {**fields, "request_id": request_id})

    def log_failure(self, function: str, payload: bytes) -> None:
        """Tell why an invocation failed, with its trace; the same twice in a row is told once."""
        if payload == self._last_failure:
            return
        self._last_failure = payload
        told = json.loads(payload)
        trace = "".join(told.get("stackTrace") or ())
        reason = f"{told.get('errorType')}: {told.get('errorMessage')}"
        text = f"{_time()} {'error':<6} {function}  {trace.rstrip() or reason}"
        self._write(text, "failure", {"function": function, **told})

    def log_line(self, function: str, line: str) -> None:
        """Pass on what a function wrote: all of it as JSON, else what matters."""
        record = _parse_record(line)
        whole = json.dumps(_as_record(function, line)) if record is None else line
        self._append_to_file(whole)
        if self.as_json:
            self._print(whole)
            return
        shown = line if record is None else _record_text(record)
        if shown:
            self._print(_escape_lines(f"{_time()} {'log':<6} {function}  {shown}"))

    def _write(self, text: str, kind: str, fields: dict[str, Any]) -> None:
        whole = json.dumps({"timestamp": _timestamp(), "kind": kind, **fields})
        # What the stack says of itself holds keys, and nobody looks for it by a request.
        if kind != "note":
            self._append_to_file(whole)
        self._print(whole if self.as_json else text if kind == "note" else _escape_lines(text))

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
    """Return what a line says that is a record of JSON."""
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
    """Return a text of which no part, whoever wrote it, looks like a line of its own."""
    return terminal_text(text, allow_newlines=True).replace("\n", "\n  | ")


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _time() -> str:
    return _now().astimezone().strftime("%H:%M:%S")


def _timestamp() -> str:
    return _now().isoformat(timespec="milliseconds")
