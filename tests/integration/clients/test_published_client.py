"""A client that others wrote, pointed at this service: only the address and the key are its own."""

import asyncio
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from dynamic_document_api import AsyncDynamicDocumentApi, DynamicDocumentApi

from tests.integration.clients import expectations
from tests.integration.clients.conftest import Access
from tests.integration.clients.driver import Blocking, Driver, method_names
from tests.integration.clients.readme import readme_names, run_calls
from tests.integration.clients.scenario import drive, lists_of

pytestmark = pytest.mark.integration


@pytest.fixture(params=["sync", "async"])
def client(request: pytest.FixtureRequest, access: Access) -> Iterator[Any]:
    """Give one of the two clients; the asynchronous one is called as the other."""
    if request.param == "sync":
        with DynamicDocumentApi(access.key, base_url=access.base_url) as client:
            yield client
        return
    with asyncio.Runner() as runner:
        asynchronous = AsyncDynamicDocumentApi(access.key, base_url=access.base_url)
        yield Blocking(asynchronous, runner)
        runner.run(asynchronous.aclose())


def test_every_method(client: Any, access: Access, capsys: pytest.CaptureFixture[str]) -> None:
    driver = Driver(client)

    drive(driver, access.world)

    with capsys.disabled():
        print("", *driver.lines(), *lists_of(driver), sep="\n")  # noqa: T201 -- the measurement
    target = client._target if isinstance(client, Blocking) else client
    assert sorted(set(driver.called)) == method_names(target)
    assert unexplained(driver.refused, expectations.REFUSED) == {}
    assert len(driver.accepted) >= expectations.ACCEPTED
    assert unexplained(driver.mistyped, expectations.MISTYPED) == {}
    assert len(driver.typed) >= expectations.TYPED


def test_calls_of_the_readme(
    access: Access,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "items.csv").write_text("number\n1\n")
    with DynamicDocumentApi(access.key, base_url=access.base_url) as client:
        render = client.pdf.from_html(html="<h1>Hi</h1>")
        template = client.request(
            "POST", "/templates", body={"name": "T", "html": "<p>", "publish": True}
        )
    names = readme_names(monkeypatch, access.base_url, access.key, render)
    values = {
        "tpl_…": template["id"],
        "https://example.com": access.world.page,
        "dda_live_…": access.key,
        "…": "a secret of forty characters, as they are",
    }

    names["template_id"] = template["id"]

    results, opened = [], dict[int, Any]()
    for result in run_calls(names, values):
        results.append(result)
        opened[id(names.get("dda"))] = names.get("dda")
    for each in filter(None, opened.values()):
        each.close()

    failed = {call: error for call, error in results if error is not None}
    taken = sum(error is None for _, error in results)
    with capsys.disabled():
        print("", *failed.items(), f"README calls {taken} of {len(results)}", sep="\n")  # noqa: T201
    known = expectations.README_REFUSED
    assert unexplained({call.partition("(")[0]: why for call, why in failed.items()}, known) == {}
    assert taken >= expectations.README_CALLS


def unexplained(found: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return what was found without a sentence, and sentences of what is as expected."""
    as_theirs = set(known) - set(found) - expectations.BY_CHANCE
    gone = dict.fromkeys(as_theirs, "is as the client has it: take it out")
    return {name: why for name, why in found.items() if name not in known} | gone
