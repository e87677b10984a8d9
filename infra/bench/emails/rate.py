"""Benchmark: how exactly the functions that send keep the rate of a connection together.

`make bench NAME=email-rate`: 1 000 emails without files wait, whose messages become visible
together; their connection to an SMTP server with TLS sends 50 in a second. Printed are the emails
per second from the first arrival to the last, and the most that arrived within any second.
"""

import sys
from collections.abc import Sequence
from typing import Final

from infra.bench.emails.mail_server import Arrival
from infra.bench.emails.mail_stack import mail_stack
from infra.bench.emails.sends import BenchSends

MAX_PER_SECOND: Final = 50
MIN_RATIO: Final = 0.95
MAX_RATIO: Final = 1.05
MAX_DENSEST: Final = 2.0


def main() -> int:
    """Print the table and the ratio to the connection's rate; 1 when a limit is not met."""
    with mail_stack() as (stack, server):
        sends = BenchSends(stack, server, max_per_second=MAX_PER_SECOND)
        sends.warm_up()
        arrivals = sends.deliver()
    ratio = rate_of(arrivals) / MAX_PER_SECOND
    densest = _densest_second(arrivals) / MAX_PER_SECOND
    sys.stdout.write(
        f"{len(arrivals)} emails, {MAX_PER_SECOND} in a second: {rate_of(arrivals):.1f}/s\n"
        f"densest second: {densest:.2f} of it (limit {MAX_DENSEST})\n"
        f"email-rate: {ratio:.2f} (limit {MIN_RATIO} to {MAX_RATIO})\n"
    )
    return int(not MIN_RATIO <= ratio <= MAX_RATIO or densest > MAX_DENSEST)


def rate_of(arrivals: Sequence[Arrival]) -> float:
    """Return emails per second from the first arrival to the last."""
    return (len(arrivals) - 1) / (arrivals[-1].at - arrivals[0].at)


def _densest_second(arrivals: Sequence[Arrival]) -> int:
    """Return the most emails that arrived within any second."""
    times = [each.at for each in arrivals]
    begin = most = 0
    for end, at in enumerate(times):
        while times[begin] <= at - 1:
            begin += 1
        most = max(most, end - begin + 1)
    return most
