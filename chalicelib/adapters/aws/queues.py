"""SQS queues: send messages, dead letters and visibility changes."""

import datetime as dt
import json
import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.core.json import JsonObject
from chalicelib.core.text import NOT_IN_XML

if TYPE_CHECKING:
    from mypy_boto3_sqs.literals import QueueAttributeNameType
    from mypy_boto3_sqs.type_defs import (
        SendMessageBatchRequestEntryTypeDef,
        SendMessageRequestTypeDef,
    )

    from chalicelib.adapters.aws.session import AwsClients

log = logging.getLogger(__name__)

# Bound of SendMessageBatch.
_MAX_BATCH: Final = 10
# Message attributes of a dead letter (decision 11): why it was given up, and whether that was a
# transient error of AWS.
REASON_ATTRIBUTE: Final = "Reason"
TRANSIENT_ATTRIBUTE: Final = "Transient"
_MAX_REASON_CHARS: Final = 500
# The service's own messages are much shorter. Body and reason must fit into an SQS message and
# into a DynamoDB item.
MAX_DEAD_LETTER_CHARS: Final = 50_000


# A queue delays a message by whole seconds, so it comes half a second early or late.
MAX_DELAY: Final = dt.timedelta(minutes=15)
DELAY_PRECISION: Final = dt.timedelta(seconds=0.5)
_NO_DELAY: Final = dt.timedelta()


class QueueMessage(NamedTuple):
    """Message to send: `group` is the workspace, whose backlog delays no other group.

    The queue keeps the message back for `delay`, at most MAX_DELAY.
    """

    body: JsonObject
    group: str
    delay: dt.timedelta = _NO_DELAY

    @property
    def delay_s(self) -> int:
        """Return the delay in seconds, as SQS takes it."""
        assert _NO_DELAY <= self.delay <= MAX_DELAY, self.delay
        return round(self.delay / dt.timedelta(seconds=1))

    def entry(self, entry_id: str) -> "SendMessageBatchRequestEntryTypeDef":
        """Return the message as an entry of a batch."""
        entry: SendMessageBatchRequestEntryTypeDef = {
            "Id": entry_id,
            "MessageBody": json.dumps(self.body),
            "MessageGroupId": self.group,
        }
        if self.delay:
            entry["DelaySeconds"] = self.delay_s
        return entry


class SendBatchFailed(Exception):  # noqa: N818 -- the queue's own answer
    """The queue did not take some messages of a batch."""


class Queue:
    """One queue, shared fairly between workspaces by message group (SQS fair queues)."""

    def __init__(self, clients: "AwsClients", url: str) -> None:
        """Send to the queue at this URL."""
        self._clients = clients
        self._url = url

    @property
    def name(self) -> str:
        """Return the queue's name."""
        return self._url.rpartition("/")[2]

    def send(self, message: JsonObject, *, group: str, delay: dt.timedelta = _NO_DELAY) -> None:
        """Send one JSON message, with group and delay as in QueueMessage."""
        request: SendMessageRequestTypeDef = {
            "QueueUrl": self._url,
            "MessageBody": json.dumps(message),
            "MessageGroupId": group,
        }
        if delay:
            request["DelaySeconds"] = QueueMessage(message, group, delay).delay_s
        self._clients.sqs.send_message(**request)

    def send_body(self, body: str, *, group: str) -> None:
        """Send a message whose body is already text."""
        self._clients.sqs.send_message(QueueUrl=self._url, MessageBody=body, MessageGroupId=group)

    def try_send(self, message: JsonObject, *, group: str, delay: dt.timedelta = _NO_DELAY) -> bool:
        """Send a message; returns False on failure, where maintenance will send it again."""
        try:
            self.send(message, group=group, delay=delay)
        except self._aws_errors as fault:
            log.warning(
                "message not sent", extra={"queue": self._url, "fault": type(fault).__name__}
            )
            return False
        return True

    def send_all(self, messages: Sequence[QueueMessage]) -> None:
        """Send messages; raises SendBatchFailed when a batch was not taken whole."""
        for begin in range(0, len(messages), _MAX_BATCH):
            entries = [
                message.entry(str(n))
                for n, message in enumerate(messages[begin : begin + _MAX_BATCH])
            ]
            response = self._clients.sqs.send_message_batch(QueueUrl=self._url, Entries=entries)
            if response.get("Failed"):
                raise SendBatchFailed(self._url, response["Failed"])

    def send_dead_letter(self, body: str, *, reason: str, transient: bool) -> bool:
        """Send the beginning of a body with the reason; returns False when the queue failed.

        `transient`: the message itself is good, but a transient error of AWS lasted too long.
        """
        attributes = {
            REASON_ATTRIBUTE: sendable_text(reason, _MAX_REASON_CHARS),
            TRANSIENT_ATTRIBUTE: str(transient),
        }
        try:
            self._clients.sqs.send_message(
                QueueUrl=self._url,
                MessageBody=sendable_text(body, MAX_DEAD_LETTER_CHARS),
                MessageAttributes={
                    name: {"DataType": "String", "StringValue": value}
                    for name, value in attributes.items()
                },
            )
        except self._aws_errors as fault:
            log.warning(
                "dead letter not sent", extra={"queue": self._url, "fault": type(fault).__name__}
            )
            return False
        return True

    def approximate_message_count(self) -> int:
        """Return the approximate number of messages in the queue, in flight ones included."""
        names: list[QueueAttributeNameType] = [
            "ApproximateNumberOfMessages",
            "ApproximateNumberOfMessagesNotVisible",
        ]
        response = self._clients.sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=names)
        return sum(int(response["Attributes"][name]) for name in names)

    def delete(self, receipt_handle: str) -> None:
        """Delete a received message; a failure is only logged."""
        try:
            self._clients.sqs.delete_message(QueueUrl=self._url, ReceiptHandle=receipt_handle)
        except self._aws_errors as fault:
            log.warning(
                "message not deleted", extra={"queue": self._url, "fault": type(fault).__name__}
            )

    def change_visibility(self, receipt_handle: str, *, timeout_s: int) -> None:
        """Make a received message visible again after `timeout_s` seconds.

        A failure is only logged: the message then comes after the queue's own timeout.
        """
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
    """Return the first `limit` characters, with U+FFFD for characters that SQS refuses."""
    return NOT_IN_XML.sub("\ufffd", text[:limit])
