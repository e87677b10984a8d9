"""CloudWatch Logs: the lines that the functions of a deployment wrote about one request."""

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING

from chalicelib.core.clock import epoch_ms

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import Clients


class FunctionLogs:
    """The log groups of all functions of one deployment."""

    def __init__(self, clients: "Clients", stack: str) -> None:
        """Read what the functions of this stack write."""
        self._clients = clients
        self._stack = stack

    def __call__(self, request_id: str, since: dt.datetime) -> Iterator[str]:
        """Yield the lines that name a request, function by function."""
        # Quoted, the pattern is looked for as it stands.
        assert '"' not in request_id
        for group in self._groups():
            pages = self._clients.logs.get_paginator("filter_log_events").paginate(
                logGroupName=group, startTime=epoch_ms(since), filterPattern=f'"{request_id}"'
            )
            for page in pages:
                yield from (event["message"] for event in page["events"])

    def _groups(self) -> Iterator[str]:
        prefix = f"/aws/lambda/{self._stack}-"
        pages = self._clients.logs.get_paginator("describe_log_groups").paginate(
            logGroupNamePrefix=prefix
        )
        for page in pages:
            yield from (group["logGroupName"] for group in page["logGroups"])
