"""Fixtures of emails: a workspace whose plan has them, and a mail server."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.settings import ApiSettings
from tests.builders.email_connections import use_plan
from tests.builders.http_providers import reach
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.service import Service
from tests.fakes.email_provider import FakeProvider
from tests.fakes.http_provider import HttpProvider, http_provider
from tests.fakes.submission_server import EGRESS_ALLOW, HOST, SubmissionServer, submission_server


@pytest.fixture(autouse=True)
def _plan_with_email(service: Service) -> None:
    use_plan(service, "growth")


@pytest.fixture
def reachable(service: Service) -> None:
    """Let egress reach the mail server."""
    allowed = {"egress_allow": EGRESS_ALLOW}
    service.settings = ApiSettings(**vars(service.settings) | allowed)


@pytest.fixture
def trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certificates:
    """Give certificates of the mail server, of an authority that this process trusts."""
    made = certificates(tmp_path, [HOST])
    monkeypatch.setenv("SSL_CERT_FILE", str(made.ca_file))
    return made


@pytest.fixture
def server(trusted: Certificates) -> Iterator[SubmissionServer]:
    """Run a mail server."""
    with submission_server(trusted.server) as running:
        yield running


@pytest.fixture
def provider(service: Service) -> Iterator[HttpProvider]:
    """Run an HTTP server that is every provider."""
    with http_provider() as running:
        reach(service, running)
        yield running


@pytest.fixture
def fake_provider() -> FakeProvider:
    """Give a provider that accepts all emails."""
    return FakeProvider()
