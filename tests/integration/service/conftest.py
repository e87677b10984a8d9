"""The whole service for tests: real emulators, real browser, real HTTP, and what it may reach."""

from collections.abc import Iterator
from typing import Final

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.pages.visitor import Visitor, visitor
from tests.builders.pages.web_site import Site, running_site
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.builders.storage.recording_store import RecordingStore, recording_store
from tests.fakes.raw_server import RawServer
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver
from tests.integration.service.slow_receiver import slow_receiver

_RECEIVERS: Final = ("plain_receiver", "receiver", "named_receiver", "slow", "stranger")


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Give the certificate of the receivers, and the authority that signed it."""
    return certificates(tmp_path_factory.mktemp("authority"), names=["localhost"])


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Run a site without pages."""
    with running_site({}) as running:
        yield running


@pytest.fixture(scope="session")
def store() -> Iterator[RecordingStore]:
    """Run a store that files are uploaded to."""
    with recording_store() as running:
        yield running


@pytest.fixture(scope="session")
def plain_receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver of webhooks without TLS."""
    with webhook_receiver() as running:
        yield running


@pytest.fixture(scope="session")
def receiver(authority: Certificates) -> Iterator[WebhookReceiver]:
    """Run a receiver over TLS, as the others below."""
    with webhook_receiver(tls=authority.server) as running:
        yield running


@pytest.fixture(scope="session")
def named_receiver(authority: Certificates) -> Iterator[WebhookReceiver]:
    """Run a receiver whose address is a name."""
    with webhook_receiver(tls=authority.server, host="localhost") as running:
        yield running


@pytest.fixture(scope="session")
def slow(authority: Certificates) -> Iterator[RawServer]:
    """Run a receiver that is late once, and then just in time."""
    with slow_receiver(authority) as running:
        yield running


@pytest.fixture(scope="session")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebhookReceiver]:
    """Run a receiver whose authority the service does not know."""
    unknown = certificates(tmp_path_factory.mktemp("unknown"))
    with webhook_receiver(tls=unknown.server) as running:
        yield running


@pytest.fixture(scope="session")
def reachable(request: pytest.FixtureRequest, site: Site, store: RecordingStore) -> str:
    """Return the setting that lets the service reach the servers of these tests alone."""
    ports = [request.getfixturevalue(name).port for name in _RECEIVERS]
    # A name may lead to both addresses of this machine.
    addresses = [f"{network}:{port}" for port in ports for network in ("127.0.0.1/32", "[::1]/128")]
    return ",".join([site.egress_allow, store.egress_allow, *addresses])


@pytest.fixture(scope="session")
def stack(reachable: str, authority: Certificates) -> Iterator[RunningStack]:
    """Run one stack, on free ports and in a folder of its own, for all tests of this folder."""
    trusted = str(authority.ca_file)
    with running_stack(PLATEN_EGRESS_ALLOW=reachable, SSL_CERT_FILE=trusted) as running:
        yield running


@pytest.fixture(scope="session")
def tenants(stack: RunningStack) -> Tenants:
    """Create workspaces on that stack."""
    return Tenants(stack)


@pytest.fixture(scope="session")
def live(stack: RunningStack) -> Iterator[ApiClient]:
    """Return a client with the live key of the demo workspace."""
    with ApiClient(stack, stack.live_key) as client:
        yield client


@pytest.fixture(scope="session")
def test(stack: RunningStack) -> Iterator[ApiClient]:
    """Return a client with its test key."""
    with ApiClient(stack, stack.test_key) as client:
        yield client


@pytest.fixture(scope="module")
def people(stack: RunningStack) -> Iterator[Visitor]:
    """Give a browser that reaches the service alone."""
    with visitor(stack.files_host) as running:
        yield running


@pytest.fixture
def page(people: Visitor) -> Iterator[Visitor]:
    """Give the browser; no page may ask another host, or fail."""
    people.requests.clear()
    people.errors.clear()
    yield people
    # A refusal of the policy is an error of the console.
    assert people.foreign_urls == []
    assert people.errors == []
