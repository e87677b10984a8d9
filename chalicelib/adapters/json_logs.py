"""Logs as JSON lines that carry the request id, whoever in chalicelib writes them."""

import logging
import sys
from contextvars import ContextVar
from typing import Final, override

from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter

REQUEST_ID: Final[ContextVar[str | None]] = ContextVar("request_id", default=None)
_ROOTS: Final = ("chalicelib", "functions")


def configure(service: str) -> None:
    """Send the logs of this code to standard output; a second call changes nothing."""
    for root in _ROOTS:
        logger = logging.getLogger(root)
        if not any(isinstance(handler, _JsonHandler) for handler in logger.handlers):
            logger.addHandler(_JsonHandler(service))
            logger.setLevel(logging.INFO)
            logger.propagate = False


class _JsonHandler(logging.Handler):
    """Writes each record as one line of JSON to what is standard output at that time."""

    def __init__(self, service: str) -> None:
        super().__init__()
        self.setFormatter(LambdaPowertoolsFormatter(service=service))

    @override
    def emit(self, record: logging.LogRecord) -> None:
        record.request_id = REQUEST_ID.get()
        try:
            sys.stdout.write(self.format(record) + "\n")
            sys.stdout.flush()
        except Exception:  # noqa: BLE001 -- as every handler of the standard library
            self.handleError(record)
