"""Errors of an invocation, as the platform reports and logs them."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from chalicelib.core.message_version import UnknownVersion
from chalicelib.core.tracebacks import exception_kind

log = logging.getLogger(__name__)


class InvocationError(Exception):
    """Failure of an invocation; the platform logs this text, so it has no data of a caller."""


@contextmanager
def reported_errors() -> Iterator[None]:
    """Log an exception of the block, and raise InvocationError with the name of its class."""
    try:
        yield
    except UnknownVersion as unknown:
        log.warning("called by another release", extra={"reason": str(unknown)})
        raise InvocationError(exception_kind(unknown)) from None
    except Exception as error:
        log.exception("the invocation failed unexpectedly")
        # `from None`: the platform would log the cause, too, with data of the caller.
        raise InvocationError(exception_kind(error)) from None
