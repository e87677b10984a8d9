"""Stack whose functions die at the armed crash points."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.paths import free_port
from infra.local.running_stack import RunningStack, running_stack
from tests.builders.http_providers import ACCEPTANCES
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.pages.web_site import Site, running_site
from tests.builders.storage.recording_store import RecordingStore, recording_store
from tests.fakes.http_provider import HttpProvider, http_provider
from tests.fakes.submission_server import EGRESS_ALLOW, HOST
from tests.fakes.webhook_receiver import WebhookReceiver, webhook_receiver


@pytest.fixture(scope="session")
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the armed points."""
    return tmp_path_factory.mktemp("points")


@pytest.fixture(scope="session")
def receiver() -> Iterator[WebhookReceiver]:
    """Run a receiver of webhooks."""
    with webhook_receiver() as running:
        yield running


@pytest.fixture(scope="session")
def mail_port() -> int:
    """Return the port at which a test may run a mail server."""
    return free_port()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Return certificates of the mail server of emails, of an authority that the stack trusts."""
    return certificates(tmp_path_factory.mktemp("authority"), [HOST])


@pytest.fixture(scope="session")
def provider() -> Iterator[HttpProvider]:
    """Run a provider of emails that accepts all of them, and each registration."""
    with http_provider() as running:
        running.usual = ACCEPTANCES["brevo"]
        yield running


@pytest.fixture(scope="session")
def store() -> Iterator[RecordingStore]:
    """Run a store that files are uploaded to."""
    with recording_store() as running:
        yield running


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Run a site whose pages are printed."""
    with running_site({}) as running:
        yield running


@pytest.fixture(scope="session")
def egress_allow(
    receiver: WebhookReceiver, provider: HttpProvider, store: RecordingStore, site: Site
) -> str:
    """Return the addresses of this machine that the stack may reach."""
    servers = (provider.server, store, site)
    allowed = [f"127.0.0.1/32:{receiver.port}", EGRESS_ALLOW]
    return ",".join([*allowed, *(server.egress_allow for server in servers)])


@pytest.fixture(scope="session")
def stack(
    points: Path, egress_allow: str, mail_port: int, authority: Certificates, provider: HttpProvider
) -> Iterator[RunningStack]:
    """Run one stack for all cases."""
    with running_stack(
        PLATEN_CRASH_POINTS=str(points),
        PLATEN_LOCAL_PROCESSES="invocation",
        PLATEN_EGRESS_ALLOW=egress_allow,
        PLATEN_EMAIL_BASE_BREVO=provider.server.url(""),
        SSL_CERT_FILE=str(authority.ca_file),
        PLATEN_SMTP_URL=f"smtp://127.0.0.1:{mail_port}?from=service%40platen.example",
    ) as running:
        yield running
