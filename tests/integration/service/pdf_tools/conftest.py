"""The whole service, with a site, a receiver of webhooks and a store that it may reach."""

from collections.abc import Iterator
from functools import partial

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pages.web_site import Site, running_site
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenant, Tenants
from tests.builders.stack.tool_requests import RunTool, send_tool
from tests.builders.storage.recording_store import RecordingStore, recording_store
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Run a site that has PDFs."""
    with running_site({}) as running:
        yield running


@pytest.fixture(scope="session")
def receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver of webhooks."""
    with webhook_receiver() as running:
        yield running


@pytest.fixture(scope="session")
def store() -> Iterator[RecordingStore]:
    """Run a store that files are uploaded to."""
    with recording_store() as running:
        yield running


@pytest.fixture(scope="session")
def stack(site: Site, receiver: WebhookReceiver, store: RecordingStore) -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    allowed = (site.egress_allow, f"127.0.0.1/32:{receiver.port}", store.egress_allow)
    with running_stack(PLATEN_EGRESS_ALLOW=",".join(allowed)) as running:
        yield running


@pytest.fixture(scope="session")
def tenants(stack: RunningStack) -> Tenants:
    """Create workspaces on that stack."""
    return Tenants(stack)


@pytest.fixture(scope="session")
def live(tenants: Tenants) -> Iterator[ApiClient]:
    """Return a client with a live key of a large plan."""
    with tenants.create("tools", "scale") as tenant:
        yield tenant.client


@pytest.fixture(scope="session")
def test(stack: RunningStack) -> Iterator[ApiClient]:
    """Return a client with the test key."""
    with ApiClient(stack, stack.test_key) as client:
        yield client


@pytest.fixture(scope="session")
def run(live: ApiClient) -> RunTool:
    """Return what sends requests of tools with the live key."""
    return partial(send_tool, live)


@pytest.fixture
def tenant(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace that waits for long."""
    with tenants.create("ends", "scale") as made:
        yield made


@pytest.fixture
def other(tenants: Tenants) -> Iterator[Tenant]:
    """Create a workspace that must not notice anything."""
    with tenants.create("other", "scale") as made:
        yield made


@pytest.fixture
def send(tenant: Tenant) -> RunTool:
    """Return what sends requests of tools."""
    return partial(send_tool, tenant.client)
