"""SQS queues: messages out, and out again."""

import json
import logging
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from chalicelib.core.text import NOT_IN_XML

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients

log = logging.getLogger(__name__)

_MAX_BATCH: Final = 10
# Attribute of a dead letter: why it is one.
REASON_ATTRIBUTE: Final = "Reason"
TRANSIENT_ATTRIBUTE: Final = "Transient"
_MAX_REASON_CHARS: Final = 500
# No message of the service's own is nearly as long; with its reason it must fit into a queue's
# message and into an item of a table.
MAX_DEAD_LETTER_CHARS: Final = 50_000


class Queue:
    """One queue that many workspaces share, fair between them."""

    def __init__(self, clients: "AwsClients", url: str) -> None:
        """Send to the queue at this URL."""
        self._clients = clients
        self._url = url

    @property
    def name(self) -> str:
        """Return the queue's name."""
        return self._url.rpartition("/")[2]

    def send(self, message: Mapping[str, Any], *, group: str) -> None:
        """Send one JSON message; `group` is the workspace, whose backlog delays nobody else's."""
        self.send_body(json.dumps(message), group=group)

    def send_body(self, body: str, *, group: str) -> None:
        """Send a message as it stands."""
        self._clients.sqs.send_message(QueueUrl=self._url, MessageBody=body, MessageGroupId=group)

    def try_send(self, message: Mapping[str, Any], *, group: str) -> bool:
        """Send a message that somebody else will send again where this fails."""
        try:
            self.send(message, group=group)
        except self._aws_errors as fault:
            log.warning(
                "message not sent", extra={"queue": self._url, "fault": type(fault).__name__}
            )
            return False
        return True

    def send_all(self, messages: Sequence[tuple[Mapping[str, Any], str]]) -> None:
        """Send (message, group) pairs; those that one call did not take raise Unsent."""
        for begin in range(0, len(messages), _MAX_BATCH):
            entries: list[Any] = [
                {"Id": str(n), "MessageBody": json.dumps(message), "MessageGroupId": group}
                for n, (message, group) in enumerate(messages[begin : begin + _MAX_BATCH])
            ]
            answer = self._clients.sqs.send_message_batch(QueueUrl=self._url, Entries=entries)
            if answer.get("Failed"):
                raise SendBatchFailed(self._url, answer["Failed"])

    def send_dead_letter(self, body: str, *, reason: str, transient: bool) -> bool:
        """Send the beginning of a body, with the reason why it comes here; False: not taken.

        `passing`: nothing is wrong with what it stands for; AWS had trouble for long.
        """
        told = {
            REASON_ATTRIBUTE: sendable_text(reason, _MAX_REASON_CHARS),
            TRANSIENT_ATTRIBUTE: str(transient),
        }
        try:
            self._clients.sqs.send_message(
                QueueUrl=self._url,
                MessageBody=sendable_text(body, MAX_DEAD_LETTER_CHARS),
                MessageAttributes={
                    name: {"DataType": "String", "StringValue": value}
                    for name, value in told.items()
                },
            )
        except self._aws_errors as fault:
            log.warning(
                "dead letter not sent", extra={"queue": self._url, "fault": type(fault).__name__}
            )
            return False
        return True

    def approximate_message_count(self) -> int:
        """Return about how many messages the queue holds, received or not."""
        names: Any = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        answer = self._clients.sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=names)
        return sum(int(answer["Attributes"][name]) for name in names)

    def change_visibility(self, receipt_handle: str, *, timeout_s: int) -> None:
        """Let a received message be received again soon; where that fails, later."""
        try:
            self._clients.sqs.change_message_visibility(
                QueueUrl=self._url, ReceiptHandle=receipt_handle, VisibilityTimeout=timeout_s
            )
        except self._aws_errors as fault:
            log.warning(
                "visibility not changed", extra={"queue": self._url, "fault": type(fault).__name__}
            )

    @cached_property
    def _aws_errors(self) -> tuple[type[Exception], ...]:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415

        return (BotoCoreError, ClientError)


def sendable_text(text: str, limit: int) -> str:
    """Return the beginning of a text, without characters that a queue refuses."""
    return NOT_IN_XML.sub("\ufffd", text[:limit])


class SendBatchFailed(Exception):  # noqa: N818 -- the queue's own answer
    """The queue did not take some messages of a batch."""
