"""CloudWatch Logs: log lines of a deployment's functions about one request."""

import datetime as dt
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, Literal, Protocol, TypedDict, overload

from chalicelib.core.clock import epoch_ms, format_rfc3339

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients

_GROUP_PREFIX: Final = "/aws/lambda/"
_REPORT: Final = re.compile(r"REPORT RequestId: (\S+)\t(.*)")


class LogEvent(TypedDict):
    """Line of a log group; `timestamp` is in milliseconds since 1970."""

    message: str
    timestamp: int


class _LogEventPage(TypedDict):
    events: Sequence[LogEvent]


class _LogGroup(TypedDict):
    logGroupName: str


class _LogGroupPage(TypedDict):
    logGroups: Sequence[_LogGroup]


class _Paginator[Page](Protocol):
    def paginate(self, **parameters: str | int) -> Iterable[Page]: ...


class LogsClient(Protocol):
    """Used part of the CloudWatch Logs client."""

    @overload
    def get_paginator(self, name: Literal["filter_log_events"], /) -> _Paginator[_LogEventPage]: ...
    @overload
    def get_paginator(
        self, name: Literal["describe_log_groups"], /
    ) -> _Paginator[_LogGroupPage]: ...


class FunctionLogs:
    """The log groups of all functions of one deployment."""

    def __init__(self, clients: "AwsClients", stack: str) -> None:
        """Read the log groups of this stack."""
        self._clients = clients
        self._stack = stack

    def __call__(self, request_id: str, since: dt.datetime) -> Iterator[str]:
        """Yield the lines that name a request, function by function."""
        # A quoted filter pattern matches the text literally.
        assert '"' not in request_id
        for group in self._log_groups():
            pages = self._clients.logs.get_paginator("filter_log_events").paginate(
                logGroupName=group, startTime=epoch_ms(since), filterPattern=f'"{request_id}"'
            )
            for page in pages:
                yield from (_log_line(group, event) for event in page["events"])

    def _log_groups(self) -> Iterator[str]:
        prefix = f"{_GROUP_PREFIX}{self._stack}-"
        pages = self._clients.logs.get_paginator("describe_log_groups").paginate(
            logGroupNamePrefix=prefix
        )
        for page in pages:
            yield from (group["logGroupName"] for group in page["logGroups"])


def _log_line(group: str, event: LogEvent) -> str:
    """Return a log line as written, and a REPORT line in the format of the local stack.

    The platform writes a REPORT line at the end of each invocation, also when the function died.
    """
    report = _REPORT.match(event["message"])
    if report is None:
        return event["message"]
    values = dict(part.split(": ", 1) for part in report[2].strip().split("\t") if ": " in part)
    at = dt.datetime.fromtimestamp(event["timestamp"] / 1000, dt.UTC)
    line = {
        "timestamp": format_rfc3339(at),
        "kind": "invocation",
        "function": group.removeprefix(_GROUP_PREFIX),
        "request_id": report[1],
        "status": values.get("Status", "ok"),
        "duration": values.get("Duration"),
        "memory": values.get("Max Memory Used"),
        "memory_size": values.get("Memory Size"),
        "error": values.get("Error Type"),
    }
    return json.dumps(line)
