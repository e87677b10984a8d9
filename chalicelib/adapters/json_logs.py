"""Logs as JSON lines with the ids of what they are about, whoever in chalicelib writes them."""

import datetime as dt
import json
import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, override

from chalicelib.core.tracebacks import redacted_traceback

log = logging.getLogger(__name__)

_LOG_IDS: Final[ContextVar[Mapping[str, str]]] = ContextVar("ids", default={})  # noqa: B039 -- never changed
_LOGGER_NAMES: Final = ("chalicelib", "functions")
# Ids may come from outside; none of ours is longer.
_MAX_ID_CHARS: Final = 128
# What tells for whom something is done, whichever function does it.
_PROPAGATED_IDS: Final = ("request_id", "render", "workspace")
# What every record has; the rest came with `extra`.
_STANDARD_ATTRIBUTES: Final = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}


@contextmanager
def log_context(**ids: str | None) -> Iterator[None]:
    """Let what is logged inside carry these ids; they, and all that `about` adds, end with it."""
    token = _LOG_IDS.set(_merged_ids(ids))
    try:
        yield
    finally:
        _LOG_IDS.reset(token)


def bind(**ids: str | None) -> None:
    """Let lines from here to the end of the scope carry these ids; None changes nothing."""
    _LOG_IDS.set(_merged_ids(ids))


def current_ids() -> Mapping[str, str]:
    """Return the ids that a line would carry now."""
    return _LOG_IDS.get()


def propagated_ids() -> dict[str, str]:
    """Return the ids that go along when another function is asked to do part of this."""
    return ids_in_payload(current_ids())


def ids_in_payload(payload: Mapping[str, Any]) -> dict[str, str]:
    """Return the ids that came along with what a function is asked to do."""
    return {name: payload[name] for name in _PROPAGATED_IDS if name in payload}


def configure_logging(service: str) -> None:
    """Send the logs of this code to standard output; a second call changes nothing."""
    for root in _LOGGER_NAMES:
        logger = logging.getLogger(root)
        if not any(isinstance(handler, _JsonHandler) for handler in logger.handlers):
            logger.addHandler(_JsonHandler(service))
            logger.setLevel(logging.INFO)
            logger.propagate = False
    # Where somebody else listens already, a test, they go on.
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _log_thread_exception


class _JsonFormatter(logging.Formatter):
    """Powertools' members, without its 20 ms at every start (decision 0007).

    Tells of exceptions what `traces` lets be told.
    """

    def __init__(self, service: str) -> None:
        super().__init__()
        self._service = service

    @override
    def format(self, record: logging.LogRecord) -> str:
        members: dict[str, Any] = {
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
        # ASCII only: no value ends a line, whatever its reader takes for the end of one.
        return json.dumps(members, default=str, separators=(",", ":"))


class _JsonHandler(logging.Handler):
    """Writes each record as one line of JSON to what is standard output at that time."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self.setFormatter(_JsonFormatter(service))

    @override
    def emit(self, record: logging.LogRecord) -> None:
        for name, value in _LOG_IDS.get().items():
            record.__dict__.setdefault(name, value)
        try:
            sys.stdout.write(self.format(record) + "\n")
            sys.stdout.flush()
        except Exception:  # noqa: BLE001 -- as every handler of the standard library
            self.handleError(record)


def _log_thread_exception(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None:
        log.error("uncaught exception in a thread", exc_info=args.exc_value)


def _merged_ids(ids: Mapping[str, str | None]) -> Mapping[str, str]:
    named = {name: value[:_MAX_ID_CHARS] for name, value in ids.items() if value is not None}
    return {**_LOG_IDS.get(), **named}
