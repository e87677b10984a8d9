"""A stack that reaches a receiver, a mail server and a store of these tests, and a workspace."""

from collections.abc import Iterator
from typing import Any

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.pages.visitor import Visitor, visitor
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.storage.recording_store import RecordingStore, recording_store
from tests.builders.storage.servers import StorageServer, running_s3
from tests.builders.waiting import eventually
from tests.fakes.submission_server import (
    EGRESS_ALLOW,
    HOST,
    PORT,
    SubmissionServer,
    submission_server,
)
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Return certificates of the mail server, of an authority that the stack trusts."""
    return certificates(tmp_path_factory.mktemp("authority"), [HOST])


@pytest.fixture(scope="session")
def running_receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver of webhooks."""
    with webhook_receiver() as running:
        yield running


@pytest.fixture(scope="session")
def store() -> Iterator[RecordingStore]:
    """Run a store that files are uploaded to."""
    with recording_store() as running:
        yield running


@pytest.fixture(scope="session")
def s3(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StorageServer]:
    """Run a real store with the bucket `archive`."""
    with running_s3(tmp_path_factory.mktemp("s3")) as running:
        (running.folder / "archive").mkdir()
        yield running


@pytest.fixture(scope="session")
def mail_server(authority: Certificates) -> Iterator[SubmissionServer]:
    """Run a mail server."""
    with submission_server(authority.server) as running:
        yield running


@pytest.fixture(scope="session")
def stack(
    authority: Certificates,
    running_receiver: WebhookReceiver,
    store: RecordingStore,
    s3: StorageServer,
    mail_server: SubmissionServer,  # noqa: ARG001 -- runs as long as the stack
) -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    ports = [f"127.0.0.1/32:{port}" for port in (running_receiver.port, s3.port)]
    reachable = ",".join([*ports, EGRESS_ALLOW, store.egress_allow])
    trusted = str(authority.ca_file)
    with running_stack(PLATEN_EGRESS_ALLOW=reachable, SSL_CERT_FILE=trusted) as running:
        yield running


@pytest.fixture(scope="session")
def tenants(stack: RunningStack) -> Tenants:
    """Give what creates workspaces and keys on that stack."""
    return Tenants(stack)


@pytest.fixture(scope="session")
def browser(stack: RunningStack) -> Iterator[Visitor]:
    """Give a browser that reaches that stack alone."""
    with visitor(stack.files_host) as running:
        yield running


@pytest.fixture
def receiver(running_receiver: WebhookReceiver) -> WebhookReceiver:
    """Give the receiver, which takes everything."""
    running_receiver.received.clear()
    running_receiver.statuses, running_receiver.status = [], 200
    running_receiver.answer = b"thanks"
    return running_receiver


@pytest.fixture(scope="session")
def client(stack: RunningStack) -> Iterator[ApiClient]:
    """Return a client with the test key that the person has."""
    with ApiClient(stack, stack.test_key) as running:
        yield running


@pytest.fixture(scope="session")
def template(client: ApiClient) -> str:
    """Publish a template, and return its id."""
    fields = {
        "name": "Invoice",
        "html": "<h1>{{ n }}</h1>",
        "publish": True,
        "datasets": [
            {"name": "Usual", "data": {"n": 7, "email": "ada@example.com"}, "is_default": True}
        ],
    }
    return str(made(client, "/templates", fields)["id"])


@pytest.fixture(scope="session")
def connection(client: ApiClient) -> dict[str, Any]:
    """Make a connection to the mail server."""
    fields = {
        "name": "Post office",
        "provider": "smtp",
        "default_from": {"email": "billing@example.com", "name": "Billing"},
        "config": {"host": HOST, "port": PORT, "username": "mailer"},
        "credentials": {"password": "p"},
    }
    return made(client, "/email-connections", fields)


def made(client: ApiClient, path: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Post something, and return it."""
    answer = client.http.post(path, json=fields)
    assert answer.is_success, answer.text
    created: dict[str, Any] = answer.json()
    return created


def listed(client: ApiClient, path: str) -> list[dict[str, Any]]:
    """Return the rows of a list."""
    answer = client.http.get(path, params={"limit": 100} if "email-" not in path else {})
    assert answer.is_success, answer.text
    rows: list[dict[str, Any]] = answer.json()["data"]
    return rows


def delivered(client: ApiClient, endpoint: dict[str, Any], **body: Any) -> dict[str, Any]:
    """Send a sample to an endpoint, and return the delivery as the first attempt leaves it."""
    event = {"event": "render.succeeded"} | body
    sent = made(client, f"/webhook-endpoints/{endpoint['id']}/test", event)

    def look() -> dict[str, Any] | None:
        delivery: dict[str, Any] = client.http.get(f"/webhook-deliveries/{sent['id']}").json()
        return delivery if delivery["status"] != "pending" else None

    return eventually(look, pause_s=0.1)
