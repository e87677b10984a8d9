"""A stack that a client of others is pointed at, with a workspace of its own."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pages.web_site import Site, SitePage, running_site
from tests.builders.stack.tenants import Tenants
from tests.integration.clients.scenario import World

MEMBER = "ada@example.com"


@dataclass(frozen=True)
class Access:
    """Where the client is pointed at, and the key that it gets."""

    base_url: str
    key: str
    world: World


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Run a site with one page."""
    with running_site({"/": SitePage("<h1>A page")}) as running:
        yield running


@pytest.fixture(scope="session")
def stack(site: Site) -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    with running_stack(PLATEN_EGRESS_ALLOW=site.egress_allow) as running:
        yield running


@pytest.fixture
def access(stack: RunningStack, site: Site) -> Access:
    """Give a new workspace on the largest plan, with a live key of all scopes."""
    tenants = Tenants(stack)
    with tenants.create("client", "scale") as tenant:
        members = tenants.operator.manage_members
        members.add(tenant.workspace, MEMBER, "owner")
        members.verify(tenant.workspace, MEMBER)
        key = tenant.client.http.headers["authorization"].partition(" ")[2]
    return Access(stack.base_url, key, World(site.url(), MEMBER))
