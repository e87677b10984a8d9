"""Benchmark: rate and AWS calls of emails with a file.

`make bench NAME=email`: 1 000 emails with one file of 30 KB each wait, whose messages become
visible together; their connection to an SMTP server with TLS sends 100 in a second. Measured are
emails per second from the first arrival to the last. Calls are counted in this process by botocore
hooks, on queues that no poller reads, for batches of ten messages; the function also deletes its
messages, which is not counted, as Lambda would do it. Nor is the first batch, which opens the
credentials with a call of KMS, as a process does once in five minutes.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any, Final

from chalicelib.bootstrap.work import WORK
from chalicelib.bootstrap.work_function import WorkParts
from chalicelib.core.clock import SystemClock
from chalicelib.core.json import JsonObject
from chalicelib.settings import WorkSettings
from infra.bench.counting_clients import CountingClients
from infra.bench.emails.mail_stack import mail_stack
from infra.bench.emails.rate import rate_of
from infra.bench.emails.sends import BenchSends
from infra.bench.in_process import environment
from infra.local.event_sources import sqs_event
from infra.local.running_stack import RunningStack

MAX_PER_SECOND: Final = 100
FILE_BYTES: Final = 30_000
LIMIT: Final = 40
CALLS_LIMIT: Final = 8.0
COUNTED: Final = 200
_BATCH: Final = 10
# Calls that Lambda would make.
_NOT_COUNTED: Final = ("DeleteMessage",)
_CALL_REASONS: Final = {
    "BatchGetItem": "workspace, connection, rule and render",
    "GetItem": "the connection, for its rate, once in five seconds",
    "GetObject": "what the email says; the file",
    "SendMessage": "the event, to the relay",
    "TransactWriteItems": "the hand-over; the result, with counts and event",
    "UpdateItem": "the slot of the rate; the claim",
}


def main() -> int:
    """Print the table and the rate; 1 when a limit is not met."""
    with mail_stack() as (stack, server):
        sends = BenchSends(stack, server, max_per_second=MAX_PER_SECOND, file_bytes=FILE_BYTES)
        sends.warm_up()
        calls = _calls_of_one(stack, sends)
        rate = rate_of(sends.deliver())
    total = sum(calls.values())
    sys.stdout.write(f"{total:.2f} calls an email (limit {CALLS_LIMIT})\n")
    for name, count in calls.items():
        sys.stdout.write(f"  {name:<20}{count:>6.2f}  {_CALL_REASONS.get(name, '?')}\n")
    sys.stdout.write(f"email: {rate:.0f}/s (limit {LIMIT}, at least)\n")
    return int(rate < LIMIT or total > CALLS_LIMIT)


def _calls_of_one(stack: RunningStack, sends: BenchSends) -> Mapping[str, float]:
    """Send emails by the function in this process, and return the calls of one of them."""
    sqs = stack.client("sqs")
    # No message comes a second time.
    attributes = {"VisibilityTimeout": "3600"}
    queues = [
        sqs.create_queue(QueueName=name, Attributes=attributes)["QueueUrl"]
        for name in ("counted", "events")
    ]
    variables = environment(stack, "functions.send_email.handler.handler")
    os.environ.update({k: v for k, v in variables.items() if k.startswith(("AWS_", "SSL_"))})
    row = WORK["send_email"]
    own = dict(zip(("PLATEN_EMAILS_QUEUE_URL", "PLATEN_EVENTS_QUEUE_URL"), queues, strict=True))
    settings = WorkSettings.with_names(row.all_settings, variables | own)
    counts: Counter[str] = Counter()
    parts = WorkParts(row, settings, CountingClients("", counts), SystemClock())
    # Imported by name, as Lambda does.
    serve = import_module("functions.send_email.handler").build(parts)
    for number in range(1 + COUNTED // _BATCH):
        batch = sends.write(_BATCH, SystemClock().now())
        records = _receive(sqs, queues[0], [sends.message(each) for each in batch])
        if number == 1:
            counts.clear()
        answer = serve(sqs_event(records, "arn:aws:sqs:us-east-1:0:counted"))
        assert answer == {"batchItemFailures": []}, answer
    attempts = counts[" BatchGetItem"]
    assert attempts == COUNTED, f"{attempts} of {COUNTED} emails were attempted"
    named = {name.strip(): count / COUNTED for name, count in sorted(counts.items())}
    return {name: count for name, count in named.items() if name not in _NOT_COUNTED}


def _receive(sqs: Any, queue_url: str, messages: Sequence[JsonObject]) -> list[Mapping[str, Any]]:
    """Send messages and return them as they are received."""
    received: list[Mapping[str, Any]] = []
    for message in messages:
        sqs.send_message(QueueUrl=queue_url, MessageBody=json.dumps(message))
        received += sqs.receive_message(
            QueueUrl=queue_url, WaitTimeSeconds=5, MessageSystemAttributeNames=["All"]
        )["Messages"]
    return received
