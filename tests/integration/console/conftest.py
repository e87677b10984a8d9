"""One stack, one browser that reaches it alone, and a person who uses the console in it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack, running_stack
from infra.setup.steps import CONSOLE_PACKAGES_DIR
from tests.builders.pages.visitor import Visitor, visitor
from tests.builders.stack.tenants import Tenants
from tests.integration.console.person import Person

_AXE: Final = CONSOLE_PACKAGES_DIR / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="session")
def stack() -> Iterator[RunningStack]:
    """Run one stack for all tests of this folder."""
    with running_stack() as running:
        yield running


@pytest.fixture(scope="session")
def tenants(stack: RunningStack) -> Tenants:
    """Give what creates workspaces and keys."""
    return Tenants(stack)


@pytest.fixture(scope="session")
def browser(stack: RunningStack) -> Iterator[Visitor]:
    """Give a browser that reaches the service alone."""
    with visitor(stack.files_host) as running:
        yield running


@pytest.fixture(scope="session")
def axe() -> str:
    """Give the script that looks for barriers."""
    return Path(_AXE).read_text(encoding="utf-8")


@pytest.fixture
def person(browser: Visitor, stack: RunningStack, axe: str) -> Iterator[Person]:
    """Give somebody who begins without a key; nothing may leave the host, or fail in the page."""
    someone = Person(browser, stack, axe)
    browser.open("/console")
    browser.value("sessionStorage.clear()")
    # The page may still wait for answers to an earlier key.
    browser.open("/console/assets/none")
    browser.requests.clear()
    browser.errors.clear()
    yield someone
    assert browser.foreign_urls == []
    # Refusals of the API are errors of the browser's console; those of the policy must not be.
    assert [text for text in browser.errors if "Failed to load resource" not in text] == []
    assert browser.value("document.cookie") == ""
    assert browser.value("window.attacked === undefined")


def draft(html: str, data: str = "", **output: Any) -> str:
    """Return a stored draft of the playground."""
    sources = {"html": html, "css": "", "header": "", "footer": "", "data": data}
    return json.dumps({"name": "", "sources": sources, "output": output})
