"""Each code and warning that only a browser can provoke, provoked."""

import json
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest

from chalicelib.adapters.net.egress import Egress
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import Address, Canvas, Html, InvoiceOrder, Job, Outcome
from chalicelib.engine.options.output import Output
from chalicelib.engine.pipeline import Parts, run
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.catalogue import IN_A_BROWSER, WARNED
from tests.builders.engine import no_uploads
from tests.builders.web import Site, site
from tests.integration.engine.conftest import new_browser

SECONDS: Final = 40


@pytest.fixture(scope="module")
def allowed() -> Iterator[Site]:
    with site({"/slow.png": slow}) as running:
        yield running


def slow(handler: Any) -> None:
    time.sleep(3)
    handler.send_response(200)
    handler.end_headers()


@pytest.fixture(scope="module")
def parts(allowed: Site) -> Iterator[Parts]:
    outside = Egress(allow=allowed.allow, own_hosts=frozenset())
    browser, templates = new_browser(outside=outside), TemplateWorker()
    yield Parts(browser, templates, outside)
    templates.close()
    browser.close()


def made(request: dict[str, Any], parts: Parts, allowed: Site) -> Outcome:
    text = json.dumps(request).replace("{allowed}", allowed.url().rstrip("/"))
    wanted = json.loads(text)
    order = wanted.get("einvoice")
    job = Job(
        source=source_of(wanted),
        output=Output.from_json(wanted.get("output", {})),
        deadline=time.time() + SECONDS,
        uploads=no_uploads,
        data=wanted.get("data", {}) if "data_url" not in wanted else None,
        data_url=wanted.get("data_url"),
        einvoice=None if order is None else InvoiceOrder(**order),
    )
    return run(job, parts)


def source_of(wanted: dict[str, Any]) -> Html | Address | Canvas:
    if "url" in wanted:
        return Address(wanted["url"])
    if "scene" in wanted:
        return Canvas(wanted["scene"])
    return Html(wanted["html"], None, wanted.get("templating", False))


@pytest.mark.parametrize("code", sorted(IN_A_BROWSER))
def test_code_is_provoked(code: str, parts: Parts, allowed: Site) -> None:
    with pytest.raises(RenderFailure) as failure:
        made(IN_A_BROWSER[code], parts, allowed)

    assert failure.value.code == code
    assert failure.value.detail


@pytest.mark.parametrize("code", sorted(WARNED))
def test_warning_is_provoked_and_fails_nothing(code: str, parts: Parts, allowed: Site) -> None:
    outcome = made(WARNED[code], parts, allowed)

    assert outcome.files[0].content
    assert code in {warning.code for warning in outcome.trace.warnings}
