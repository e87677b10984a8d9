"""Exceptions for the log: types and frames, never messages.

A message may repeat a tenant's text, and zero retention keeps documents out of all logs (decision
17).
"""

import re
from collections.abc import Iterator
from traceback import StackSummary, walk_tb
from typing import Final

_MAX_FRAMES: Final = 30
_AWS_CODE: Final = re.compile(r"[A-Za-z0-9.]{1,100}")


def exception_kind(error: BaseException) -> str:
    """Return the type of an exception; for an AWS error also the operation and the error code."""
    name = type(error).__qualname__
    response: object = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    details = (getattr(error, "operation_name", None), code)
    words = [word for word in details if isinstance(word, str) and _AWS_CODE.fullmatch(word)]
    return f"{name} ({' '.join(words)})" if words else name


def raise_location(error: BaseException) -> str:
    """Return `file:line` of the innermost frame; empty for an exception that was never raised."""
    frame = next(reversed(_frames(error)), None)
    return "" if frame is None else f"{frame.filename}:{frame.lineno}"


def redacted_traceback(error: BaseException) -> str:
    """Return types and frames of an exception and its causes, the first cause first."""
    return "\n\n".join(_exception_text(each) for each in reversed([*_exception_chain(error)]))


def _exception_chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        context = None if current.__suppress_context__ else current.__context__
        current = current.__cause__ or context


def _exception_text(error: BaseException) -> str:
    frames = (f'  File "{f.filename}", line {f.lineno}, in {f.name}' for f in _frames(error))
    return "\n".join(["Traceback (texts left out):", *frames, exception_kind(error)])


def _frames(error: BaseException) -> StackSummary:
    # The innermost frames, without reading source lines from disk.
    frames = walk_tb(error.__traceback__)
    return StackSummary.extract(frames, limit=-_MAX_FRAMES, lookup_lines=False)
