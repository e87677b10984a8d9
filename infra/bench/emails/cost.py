"""Benchmark: what an email rule costs a render.

`make bench NAME=email-cost`: sync renders of the stored example of one page, over HTTP with a live
key, by a template with one rule, in turn with a template that has none. Their emails are sent to a
mail server meanwhile. After each render a pause lets the service prepare the next page.
"""

import json
import statistics
import sys
import time
from collections.abc import Mapping
from typing import Final

from infra.bench.emails.mail_server import MailServer
from infra.bench.emails.mail_stack import mail_stack, make_connection
from infra.bench.latency import BenchClient
from infra.local.examples import render_body, template_body
from infra.local.running_stack import RunningStack

LIMIT: Final = 1.25
ROUNDS: Final = 50
_WARM_UP: Final = 5
_PAUSE_S: Final = 0.25
_EXAMPLE: Final = "payslip"
_RULE: Final = {
    "name": "To the employee",
    "condition": "employee.rate > 0.1",
    "to": "{{ employee.lines[1] }} <ada@example.com>",
    "subject": "Payslip {{ period }}",
    "html": "<p>Dear {{ employee.lines[1] }},</p><p>this is your payslip of {{ period }}.</p>",
}


def main() -> int:
    """Print the table and the ratio; 1 when it is over the limit."""
    with mail_stack() as (stack, server):
        times = _measure(stack, server)
    ratio = statistics.median(times["one rule"]) / statistics.median(times["no rule"])
    _print_row("email-cost, ms", "p50", "p90", "fastest")
    for name, ms in times.items():
        p90 = statistics.quantiles(ms, n=10)[-1]
        _print_row(name, *(f"{value:.1f}" for value in (statistics.median(ms), p90, min(ms))))
    sys.stdout.write(f"email-cost: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT)


def _measure(stack: RunningStack, server: MailServer) -> Mapping[str, list[float]]:
    client = BenchClient(stack)
    payloads = _make_payloads(client, server)
    times: dict[str, list[float]] = {name: [] for name in payloads}
    for round_number in range(-_WARM_UP, ROUNDS):
        # Each way is the first one of every other round.
        ways = list(payloads.items())[:: 1 if round_number % 2 else -1]
        for name, payload in ways:
            started = time.perf_counter()
            render = client.send("POST", "/v1/renders", payload)
            seconds = time.perf_counter() - started
            assert render["status"] == "succeeded", render
            assert [file["pages"] for file in render["files"]] == [1], render
            time.sleep(_PAUSE_S)
            if round_number >= 0:
                times[name].append(1000 * seconds)
    sent = len(server.arrivals())
    assert sent >= ROUNDS, f"{sent} emails were sent"
    return times


def _make_payloads(client: BenchClient, server: MailServer) -> Mapping[str, bytes]:
    """Make a template with a rule and one without, and return the requests that render them."""
    connection_id = make_connection(client, server, max_per_second=50)
    payloads = {}
    for name in ("one rule", "no rule"):
        body = json.dumps(template_body(_EXAMPLE)).encode()
        template_id = client.send("POST", "/v1/templates", body)["id"]
        if name == "one rule":
            fields = _RULE | {"template_id": template_id, "connection_id": connection_id}
            rule = client.send("POST", "/v1/email-rules", json.dumps(fields).encode())
            assert rule["enabled"], rule
        payloads[name] = json.dumps(render_body(_EXAMPLE, template_id)).encode()
    return payloads


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(22) + "".join(cell.rjust(12) for cell in rest) + "\n")
