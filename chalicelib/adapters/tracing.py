"""Spans of traces (OpenTelemetry), written as log lines; W3C Trace Context (decision 79).

The API begins a trace if its setting says so. Elsewhere a span is written only where the context
has a `traceparent`, which travels with the ids of log lines. Without one nothing is done.
"""

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple, Self, override

from chalicelib.adapters.json_logs import current_ids, log_context, write_line

# Kinds of OTLP.
INTERNAL: Final = 1
SERVER: Final = 2
CLIENT: Final = 3
CONSUMER: Final = 5
_ERROR: Final = 2
_SAMPLED: Final = 1
# Later versions may have more fields, which are left out.
_TRACEPARENT: Final = re.compile(
    "(?P<version>[0-9a-f]{2})-(?P<trace>[0-9a-f]{32})-(?P<span>[0-9a-f]{16})-(?P<flags>[0-9a-f]{2})"
    "(?P<more>-.*)?"
)

type Attribute = str | int


class TraceParent(NamedTuple):
    """Trace and span that a caller is in, and whether its spans are kept."""

    trace_id: str
    span_id: str
    is_sampled: bool

    @classmethod
    def parse(cls, header: str | None) -> Self | None:
        """Read a `traceparent`; the result is None if it is malformed, which starts a new trace."""
        found = _TRACEPARENT.fullmatch((header or "").strip())
        if found is None or found["version"] == "ff":
            return None
        if (found["version"] == "00" and found["more"]) or not (
            int(found["trace"], 16) and int(found["span"], 16)
        ):
            return None
        return cls(found["trace"], found["span"], bool(int(found["flags"], 16) & _SAMPLED))

    @override
    def __str__(self) -> str:
        return f"00-{self.trace_id}-{self.span_id}-{self.is_sampled:02x}"


class Span:
    """Span that has begun; `end` writes it, unless the caller keeps no spans of its trace."""

    def __init__(self, name: str, service: str, kind: int, parent: TraceParent | None) -> None:
        """Begin a span, of a new trace if there is no parent."""
        self._name = name
        self._service = service
        self._kind = kind
        self._parent = parent
        self._attributes: dict[str, Attribute] = {}
        self._error: str | None = None
        self._started_ns = time.time_ns()
        own_id = os.urandom(8).hex()
        self.context: Final = (
            TraceParent(os.urandom(16).hex(), own_id, is_sampled=True)
            if parent is None
            else parent._replace(span_id=own_id)
        )

    @property
    def traceparent(self) -> str:
        """Return the header for calls inside the span."""
        return str(self.context)

    def rename(self, name: str) -> None:
        """Give a better name."""
        self._name = name

    def set(self, **attributes: Attribute | None) -> None:
        """Set attributes, named with `__` for each dot; None is left out."""
        self._attributes |= {
            name.replace("__", "."): value
            for name, value in attributes.items()
            if value is not None
        }

    def fail(self, reason: str) -> None:
        """Mark the span as failed; the reason has no content of a document."""
        self._error = reason

    def end(self) -> None:
        """Write the span as one line; nothing else is written between its characters."""
        _write(
            self._service,
            self._name,
            self.context,
            self._kind,
            (self._started_ns, time.time_ns()),
            parent_id=self._parent.span_id if self._parent else None,
            attributes=self._attributes,
            error=self._error,
        )

    def write_stage(self, name: str, started_ns: int, ended_ns: int) -> None:
        """Write a span for a stage of this span, which has ended."""
        context = self.context._replace(span_id=os.urandom(8).hex())
        times = (started_ns, ended_ns)
        _write(self._service, name, context, INTERNAL, times, parent_id=self.context.span_id)


@contextmanager
def span(
    name: str, service: str, *, kind: int = INTERNAL, parent: str | None = None
) -> Iterator[Span | None]:
    """Write a span around the block, inside `parent` or the current span; without either none.

    An exception marks it as failed, with its type only.
    """
    context = TraceParent.parse(parent or current_traceparent())
    if context is None:
        yield None
        return
    begun = Span(name, service, kind, context)
    with log_context(traceparent=begun.traceparent):
        try:
            yield begun
        except Exception as error:
            begun.fail(type(error).__name__)
            raise
        finally:
            begun.end()


def current_traceparent() -> str | None:
    """Return the header of the current span, or None outside of traces."""
    return current_ids().get("traceparent")


def _write(  # noqa: PLR0913 -- the members of a span
    service: str,
    name: str,
    context: TraceParent,
    kind: int,
    times_ns: tuple[int, int],
    *,
    parent_id: str | None,
    attributes: dict[str, Attribute] | None = None,
    error: str | None = None,
) -> None:
    if not context.is_sampled:
        return
    started_ns, ended_ns = times_ns
    shown = {"platen.function": service, **(attributes or {})}
    # The JSON form of OTLP (opentelemetry-proto, trace.proto).
    body: dict[str, object] = {
        "traceId": context.trace_id,
        "spanId": context.span_id,
        **({"parentSpanId": parent_id} if parent_id else {}),
        "name": name,
        "kind": kind,
        "startTimeUnixNano": str(started_ns),
        "endTimeUnixNano": str(ended_ns),
        "attributes": [{"key": key, "value": _value(value)} for key, value in shown.items()],
        "status": {} if error is None else {"code": _ERROR, "message": error},
    }
    write_line(json.dumps({"span": body}, separators=(",", ":")))


def _value(value: Attribute) -> dict[str, str]:
    return {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}
