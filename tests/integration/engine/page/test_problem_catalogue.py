"""Every error code and warning that only a browser can provoke."""

import json
import time
from collections.abc import Iterator
from typing import Any, Final

import msgspec
import pytest

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import EInvoiceDefault, RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.sources import CanvasSource, HtmlSource, Source, UrlSource
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import task
from tests.builders.pages.switched_egress import SwitchedEgress
from tests.builders.pages.web_site import Site, running_site
from tests.builders.problem_catalogue import BROWSER_ERRORS, BROWSER_WARNINGS

SECONDS: Final = 40


@pytest.fixture(scope="module")
def allowed() -> Iterator[Site]:
    with running_site({"/slow.png": slow}) as running:
        yield running


def slow(handler: Any) -> None:
    time.sleep(3)
    handler.send_response(200)
    handler.end_headers()


@pytest.fixture
def parts(
    browser: Browser, egress: SwitchedEgress, templates: TemplateWorker, allowed: Site
) -> Iterator[PipelineServices]:
    guarded = GuardedEgress(allow=allowed.egress_allow, own_hosts=frozenset())
    with egress.through(guarded):
        yield PipelineServices(browser, templates, guarded)


def made(request: dict[str, Any], parts: PipelineServices, allowed: Site) -> RenderOutcome:
    text = json.dumps(request).replace("{allowed}", allowed.url().rstrip("/"))
    fields = json.loads(text)
    made_task = task(
        output=fields.get("output"),
        seconds=SECONDS,
        source=source_of(fields),
        data=fields.get("data", {}) if "data_url" not in fields else None,
        data_url=fields.get("data_url"),
        einvoice_default=msgspec.convert(fields.get("einvoice_default"), EInvoiceDefault | None),
    )
    return run_page_job(*made_task, parts)


def source_of(fields: dict[str, Any]) -> Source:
    if "url" in fields:
        return UrlSource(fields["url"])
    if "scene" in fields:
        return CanvasSource(fields["scene"])
    return HtmlSource(html=fields["html"], templating=fields.get("templating", False))


@pytest.mark.parametrize("code", sorted(BROWSER_ERRORS))
def test_error_code_is_raised(code: str, parts: PipelineServices, allowed: Site) -> None:
    with pytest.raises(RenderFailure) as failure:
        made(BROWSER_ERRORS[code], parts, allowed)

    assert failure.value.code == code
    assert failure.value.detail


@pytest.mark.parametrize("code", sorted(BROWSER_WARNINGS))
def test_warning_is_given_and_the_render_succeeds(
    code: str, parts: PipelineServices, allowed: Site
) -> None:
    outcome = made(BROWSER_WARNINGS[code], parts, allowed)

    assert outcome.files[0].content
    assert code in {warning.code for warning in outcome.trace.warnings}
