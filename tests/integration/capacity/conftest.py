"""Stack that refuses invocations, as Lambda does, when all functions are busy."""

from collections.abc import Callable, Iterator

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.pages.held_documents import HeldDocument
from tests.builders.pages.web_site import Site, running_site
from tests.builders.stack.tenants import Tenants


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Run a site that the stack may reach."""
    with running_site({}) as running:
        yield running


@pytest.fixture(scope="session")
def stack(site: Site) -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    allow = site.egress_allow
    with running_stack(PLATEN_LOCAL_THROTTLE="1", PLATEN_EGRESS_ALLOW=allow) as running:
        yield running


@pytest.fixture(scope="session")
def tenants(stack: RunningStack) -> Tenants:
    """Create workspaces on that stack."""
    return Tenants(stack)


@pytest.fixture(scope="module")
def new_document(site: Site) -> Iterator[Callable[[], HeldDocument]]:
    """Give the maker of held documents; at the end they all may be ready."""
    made: list[HeldDocument] = []

    def make() -> HeldDocument:
        made.append(HeldDocument(site))
        return made[-1]

    yield make
    for document in made:
        document.finish()
