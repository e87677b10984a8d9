"""Stack whose processes die at the armed crash points."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.pages.web_site import Site, running_site
from tests.builders.storage.recording_store import RecordingStore, recording_store
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
def authority(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Return certificates of the mail server of emails, of an authority that the stack trusts."""
    return certificates(tmp_path_factory.mktemp("authority"), [HOST])


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
def stack(
    points: Path,
    authority: Certificates,
    receiver: WebhookReceiver,
    store: RecordingStore,
    site: Site,
) -> Iterator[RunningStack]:
    """Run one stack for all cases."""
    servers = f"127.0.0.1/32:{receiver.port},{EGRESS_ALLOW},{store.egress_allow}"
    with running_stack(
        PLATEN_CRASH_POINTS=str(points),
        PLATEN_LOCAL_PROCESSES="invocation",
        PLATEN_EGRESS_ALLOW=f"{servers},{site.egress_allow}",
        SSL_CERT_FILE=str(authority.ca_file),
    ) as running:
        yield running
