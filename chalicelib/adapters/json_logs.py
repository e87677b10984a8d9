"""Logs as JSON lines with the ids of what they are about, whoever in chalicelib writes them."""

import json
import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Final, override

from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter

from chalicelib.core.traces import trace_of

log = logging.getLogger(__name__)

_IDS: Final[ContextVar[Mapping[str, str]]] = ContextVar("ids", default={})  # noqa: B039 -- never changed
_ROOTS: Final = ("chalicelib", "functions")
# Ids may come from outside; none of ours is longer.
_ID_CHARS: Final = 128


@contextmanager
def scope(**ids: str | None) -> Iterator[None]:
    """Let what is logged inside carry these ids; they, and all that `about` adds, end with it."""
    token = _IDS.set(_with(ids))
    try:
        yield
    finally:
        _IDS.reset(token)


def about(**ids: str | None) -> None:
    """Let lines from here to the end of the scope carry these ids; None changes nothing."""
    _IDS.set(_with(ids))


def present_ids() -> Mapping[str, str]:
    """Return the ids that a line would carry now."""
    return _IDS.get()


def configure(service: str) -> None:
    """Send the logs of this code to standard output; a second call changes nothing."""
    for root in _ROOTS:
        logger = logging.getLogger(root)
        if not any(isinstance(handler, _JsonHandler) for handler in logger.handlers):
            logger.addHandler(_JsonHandler(service))
            logger.setLevel(logging.INFO)
            logger.propagate = False
    # Where somebody else listens already, a test, they go on.
    if threading.excepthook is threading.__excepthook__:
        threading.excepthook = _thread_ended


class _Formatter(LambdaPowertoolsFormatter):
    """Tells of exceptions what `traces` lets be told."""

    @override
    def _extract_log_exception(
        self, log_record: logging.LogRecord
    ) -> tuple[str, str, list[str]] | tuple[None, None, None]:
        error = log_record.exc_info[1] if log_record.exc_info else None
        if error is None:
            return None, None, None
        return trace_of(error), type(error).__name__, []


class _JsonHandler(logging.Handler):
    """Writes each record as one line of JSON to what is standard output at that time."""

    def __init__(self, service: str) -> None:
        super().__init__()
        # ASCII only: no value ends a line, whatever its reader takes for the end of one.
        serializer = partial(json.dumps, default=str, separators=(",", ":"))
        self.setFormatter(
            _Formatter(
                service=service,
                json_serializer=serializer,
                utc=True,
                use_rfc3339=True,
                serialize_stacktrace=False,  # `exception` has it
            )
        )

    @override
    def emit(self, record: logging.LogRecord) -> None:
        for name, value in _IDS.get().items():
            record.__dict__.setdefault(name, value)
        try:
            sys.stdout.write(self.format(record) + "\n")
            sys.stdout.flush()
        except Exception:  # noqa: BLE001 -- as every handler of the standard library
            self.handleError(record)


def _thread_ended(ended: threading.ExceptHookArgs) -> None:
    if ended.exc_value is not None:
        log.error("a thread ended", exc_info=ended.exc_value)


def _with(ids: Mapping[str, str | None]) -> Mapping[str, str]:
    named = {name: value[:_ID_CHARS] for name, value in ids.items() if value is not None}
    return {**_IDS.get(), **named}
