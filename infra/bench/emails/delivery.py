"""Benchmark: rate and AWS calls of emails with a file.

Emails with one file of 30 KB each wait, whose messages become visible together; their connection to
an SMTP server with TLS sends 100 in a second. Measured are emails per second from the first arrival
to the last. Calls are counted in this process by botocore hooks, on queues that no poller reads,
for batches of ten messages; the function also deletes its messages, which is not counted, as Lambda
would do it. Nor is the first batch, which opens the credentials with a call of KMS, as a process
does once in five minutes.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from infra.bench.emails.sends import BenchSends
from infra.bench.functions import counted_function
from infra.bench.parts import Parts
from infra.bench.report import Limit, Report

LIMIT: Final = Limit(40, at_least=True, unit="/s")
CALLS_LIMIT: Final = Limit(8.0)
MAX_PER_SECOND: Final = 100
FILE_BYTES: Final = 30_000


class Size(NamedTuple):
    """Emails before and while the rate is measured, those whose calls are counted, and the delay.

    All rows, objects and messages of a measurement are written within the delay, in seconds.
    """

    warm_up: int
    emails: int
    counted: int
    delay_s: int


FULL: Final = Size(warm_up=50, emails=1_000, counted=200, delay_s=90)
SMOKE: Final = Size(warm_up=2, emails=2, counted=2, delay_s=1)
_WARM_UP_DELAY_S: Final = 10
_CALL_REASONS: Final = {
    "BatchGetItem": "workspace, connection, rule and render",
    "GetItem": "the connection, for its rate, once in five seconds",
    "GetObject": "what the email says; the file",
    "SendMessage": "the event, to the relay",
    "TransactWriteItems": "the hand-over; the result, with counts and event",
    "UpdateItem": "the slot of the rate; the claim",
}


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the rate."""
    sends = BenchSends(parts, max_per_second=MAX_PER_SECOND, file_bytes=FILE_BYTES)
    sends.deliver(size.warm_up, min(size.delay_s, _WARM_UP_DELAY_S))
    calls = _calls(parts, sends, size.counted)
    arrivals = sends.deliver(size.emails, size.delay_s)
    for name, count in calls.items():
        report.row(f"  {name}", count, note=_CALL_REASONS.get(name, "?"))
    report.check("calls an email", CALLS_LIMIT, sum(calls.values()))
    report.result(LIMIT, (len(arrivals) - 1) / (arrivals[-1].at - arrivals[0].at))


def _calls(parts: Parts, sends: BenchSends, number: int) -> Mapping[str, float]:
    """Send emails by the function in this process, and return the calls of one of them."""
    with counted_function(parts.stack, "send_email") as function:
        function.serve(sends.messages_due_now(1))
        return function.calls(sends.messages_due_now(number))
