"""JSON log lines that carry the ids of the current request, render and workspace."""

import datetime as dt
import json
import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final, override

from chalicelib.core.tracebacks import redacted_traceback

log = logging.getLogger(__name__)

_LOG_IDS: Final[ContextVar[Mapping[str, str]]] = ContextVar("ids", default={})  # noqa: B039 -- never changed
_LOGGER_NAMES: Final = ("chalicelib", "functions")
# Ids may come from a client; the service's own ids are shorter.
_MAX_ID_CHARS: Final = 128
# Ids that travel with a call to another function, so that its log lines can be found too.
_PROPAGATED_IDS: Final = ("request_id", "render", "workspace", "traceparent")
# Of standard output: lines of all loggers and metrics come whole, whichever threads write them.
_OUTPUT_LOCK: Final = threading.Lock()
# Attributes that every record has; all others were given as `extra`.
_STANDARD_ATTRIBUTES: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}


@contextmanager
def log_context(**ids: str | None) -> Iterator[None]:
    """Add ids to the log lines inside the block; ids that `bind` adds there end with the block."""
    token = _LOG_IDS.set(_merged_ids(ids))
    try:
        yield
    finally:
        _LOG_IDS.reset(token)


def bind(**ids: str | None) -> None:
    """Add ids to the log lines until the enclosing `log_context` ends; None adds nothing."""
    _LOG_IDS.set(_merged_ids(ids))


def current_ids() -> Mapping[str, str]:
    """Return the ids that a log line carries now."""
    return _LOG_IDS.get()


def propagated_ids() -> dict[str, str]:
    """Return the current ids that belong into the payload of a call to another function."""
    return ids_in_payload(current_ids())


def ids_in_payload(payload: Mapping[str, object]) -> dict[str, str]:
    """Return the ids that the caller put into the payload with `propagated_ids`."""
    ids = {name: payload.get(name) for name in _PROPAGATED_IDS}
    return {name: value for name, value in ids.items() if isinstance(value, str)}


def write_line(line: str) -> None:
    """Write a line to standard output at once; safe for use from all threads.

    `sys.stdout` is looked up at each line, because tests and the local runner replace it.
    """
    with _OUTPUT_LOCK:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def configure_logging(service: str) -> None:
    """Send the logs of chalicelib and functions to standard output; idempotent."""
    for root in _LOGGER_NAMES:
        logger = logging.getLogger(root)
        if not any(isinstance(handler, _JsonHandler) for handler in logger.handlers):
            logger.addHandler(_JsonHandler(service))
            logger.setLevel(logging.INFO)
            logger.propagate = False
    # Keep a hook that is already installed (pytest installs one).
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _log_thread_exception


class _JsonFormatter(logging.Formatter):
    """Formatter with the members of powertools' logger, without its 20 ms at start (decision 7).

    Exceptions are written as redacted tracebacks: an exception text may repeat tenant data.
    """

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    @override
    def format(self, record: logging.LogRecord) -> str:
        members: dict[str, object] = {
            name: value
            for name, value in record.__dict__.items()
            if name not in _STANDARD_ATTRIBUTES
        }
        at = dt.datetime.fromtimestamp(record.created, dt.UTC)
        members |= {
            "level": record.levelname,
            "location": f"{record.funcName}:{record.lineno}",
            "message": record.getMessage(),
            "timestamp": at.isoformat(timespec="milliseconds"),
            "service": self._service,
        }
        error = record.exc_info[1] if record.exc_info else None
        if error is not None:
            members |= {
                "exception": redacted_traceback(error),
                "exception_name": type(error).__name__,
            }
        # ASCII only: some readers end a line at U+2028 or U+0085 as well.
        return json.dumps(members, default=str, separators=(",", ":"))


class _JsonHandler(logging.Handler):
    """Handler that writes each record as one JSON line."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self.setFormatter(_JsonFormatter(service))

    @override
    def emit(self, record: logging.LogRecord) -> None:
        for name, value in _LOG_IDS.get().items():
            record.__dict__.setdefault(name, value)
        try:
            write_line(self.format(record))
        except Exception:  # noqa: BLE001 -- as the handlers of the standard library do
            self.handleError(record)


def _log_thread_exception(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        log.error("uncaught exception in a thread", exc_info=args.exc_value)


def _merged_ids(ids: Mapping[str, str | None]) -> Mapping[str, str]:
    named = {name: value[:_MAX_ID_CHARS] for name, value in ids.items() if value is not None}
    return {**_LOG_IDS.get(), **named}
