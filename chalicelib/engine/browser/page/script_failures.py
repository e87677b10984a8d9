"""Scripts of a page that threw and caught nothing."""

import threading
from typing import Final

from chalicelib.core.redact_url import redacted_text
from chalicelib.engine.browser.chromium.protocol import ExceptionDetails
from chalicelib.engine.browser.requests.assets import shortened_url
from chalicelib.engine.context import RenderWarning

MAX_FAILURES: Final = 20
_MAX_CHARS: Final = 300
# An address in the part that is cut off could show its password.
_MAX_READ_CHARS: Final = 10_000


class ScriptFailures:
    """Record of the first 20 failures of a page; its methods are called from two threads."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._failures: dict[tuple[str, str], None] = {}

    def record(self, details: ExceptionDetails, origin: str) -> None:
        """Record a failure; the internal `origin` stands in no output (decision 18)."""
        thrown = details.get("exception", {})
        said = details["text"].removeprefix("Uncaught ")
        text = thrown.get("description") or thrown.get("value") or said
        # A page can replace the text of errors by anything.
        lines = str(text)[:_MAX_READ_CHARS].replace(origin, "").splitlines() or [said]
        failure = redacted_text(lines[0])[:_MAX_CHARS], _place(details, origin)
        with self._lock:
            if len(self._failures) < MAX_FAILURES:
                self._failures.setdefault(failure)

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each failure and place."""
        with self._lock:
            failures = list(self._failures)
        return tuple(
            RenderWarning(
                "script_failed",
                f"A script of the page threw {text}. What it does after that is missing.",
                place,
            )
            for text, place in failures
        )


def _place(details: ExceptionDetails, origin: str) -> str:
    """Return address, line and column; without an address the document's own."""
    line, column = details["lineNumber"] + 1, details["columnNumber"] + 1
    url = redacted_text(shortened_url(details.get("url", ""))).replace(origin, "").strip("/")
    return f"{url}{', ' if url else ''}line {line}, column {column}"
