"""What is written down of an exception: where it came from, never what it says.

Its text may repeat what a tenant sent, and a document of zero retention must stand in no log.
"""

import re
from collections.abc import Iterator
from traceback import StackSummary, walk_tb
from typing import Any, Final

_MAX_FRAMES: Final = 30
_AWS_CODE: Final = re.compile(r"[A-Za-z0-9.]{1,100}")


def exception_kind(error: BaseException) -> str:
    """Return the exception's type; of a refusal of AWS also what was refused, and its code."""
    name = type(error).__qualname__
    response: Any = getattr(error, "response", None)
    code = response.get("Error", {}).get("Code") if isinstance(response, dict) else None
    told = (getattr(error, "operation_name", None), code)
    words = [word for word in told if isinstance(word, str) and _AWS_CODE.fullmatch(word)]
    return f"{name} ({' '.join(words)})" if words else name


def raise_location(error: BaseException) -> str:
    """Return where an exception was raised, or nothing where it never was."""
    frame = next(reversed(_frames(error)), None)
    return "" if frame is None else f"{frame.filename}:{frame.lineno}"


def redacted_traceback(error: BaseException) -> str:
    """Return the types and frames of an exception and of what it comes from, the cause first."""
    return "\n\n".join(_exception_text(each) for each in reversed([*_exception_chain(error)]))


def _exception_chain(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    present: BaseException | None = error
    while present is not None and id(present) not in seen:
        seen.add(id(present))
        yield present
        context = None if present.__suppress_context__ else present.__context__
        present = present.__cause__ or context


def _exception_text(error: BaseException) -> str:
    frames = (f'  File "{f.filename}", line {f.lineno}, in {f.name}' for f in _frames(error))
    return "\n".join(["Traceback (texts left out):", *frames, exception_kind(error)])


def _frames(error: BaseException) -> StackSummary:
    # The innermost ones; the lines themselves are not read.
    frames = walk_tb(error.__traceback__)
    return StackSummary.extract(frames, limit=-_MAX_FRAMES, lookup_lines=False)
