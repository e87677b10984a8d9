"""Stack that sends emails to the mail server of a benchmark, and connections to it."""

import contextlib
import json
from collections.abc import Iterator

from infra.bench.emails.mail_server import MailServer, mail_server
from infra.bench.latency import BenchClient
from infra.local.running_stack import RunningStack, running_stack


@contextlib.contextmanager
def mail_stack() -> Iterator[tuple[RunningStack, MailServer]]:
    """Run a mail server, and a stack that reaches and trusts it, inside the block."""
    with (
        mail_server() as server,
        running_stack(
            PLATEN_EGRESS_ALLOW=server.egress_exemption, SSL_CERT_FILE=server.certificate
        ) as stack,
    ):
        yield stack, server


def make_connection(client: BenchClient, server: MailServer, *, max_per_second: int) -> str:
    """Make a connection that sends so many emails in a second, and return its id."""
    fields = {
        "name": "Bench",
        "provider": "smtp",
        "default_from": {"email": "billing@example.com", "name": "Billing"},
        "config": {**server.config, "max_per_second": max_per_second},
        "credentials": {"password": "bench"},
    }
    made = client.send("POST", "/v1/email-connections", json.dumps(fields).encode())
    assert "id" in made, made
    return str(made["id"])
