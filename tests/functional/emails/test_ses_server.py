"""Amazon SES as moto's server imitates it, which has other makers than the product."""

from collections.abc import Iterator

import boto3
import pytest
from moto.server import ThreadedMotoServer
from moto.ses.models import ses_backends

from chalicelib.settings import ApiSettings
from tests.builders.email_sends import render_with_emails, sends
from tests.builders.http_providers import connection_to
from tests.builders.service import Service

# The account of all that moto makes.
ACCOUNT = "123456789012"
REGION = "eu-west-1"


@pytest.fixture(autouse=True)
def _ses(service: Service) -> Iterator[None]:
    """Run the server, without verified senders."""
    ses_backends[ACCOUNT][REGION].reset()
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    reached = {
        "email_base_ses": f"http://{host}:{port}",
        "egress_allow": f"127.0.0.1/32:{port}",
    }
    service.settings = ApiSettings(**vars(service.settings) | reached)
    try:
        yield
    finally:
        server.stop()


def verify(address: str) -> None:
    client = boto3.client("sesv2", region_name=REGION)
    client.create_email_identity(EmailIdentity=address)


def test_email_is_taken_from_a_verified_sender(service: Service) -> None:
    verify("billing@example.com")
    render_with_emails(service, connection_to(service, "ses"))

    assert service.relay_events() == []
    assert service.send_emails() == []

    (send,) = sends(service)
    (taken,) = ses_backends[ACCOUNT][REGION].sent_messages
    assert (send["status"], send["error"]) == ("sent", None)
    assert send["provider_message_id"] == taken.id
    assert taken.source.endswith("<billing@example.com>")
    assert taken.destinations["ToAddresses"] == ["Ada <ada@example.com>"]
    assert taken.subject == "Your invoice"
    assert "<p>Hello</p>" in taken.body


def test_email_of_another_sender_is_refused(service: Service) -> None:
    render_with_emails(service, connection_to(service, "ses"))

    assert service.relay_events() == []
    assert service.send_emails() == []

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("failed", "email_provider_rejected")
    assert send["error"]["provider_code"] == "MessageRejected"
