"""SQS queues: messages out."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import Clients


class Queue:
    """One queue that many workspaces share, fair between them."""

    def __init__(self, clients: "Clients", url: str) -> None:
        """Send to the queue at this URL."""
        self._clients = clients
        self._url = url

    def send(self, message: Mapping[str, Any], *, group: str) -> None:
        """Send one JSON message; `group` is the workspace, whose backlog delays nobody else's."""
        self._clients.sqs.send_message(
            QueueUrl=self._url, MessageBody=json.dumps(message), MessageGroupId=group
        )
