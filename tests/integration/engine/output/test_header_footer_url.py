"""The class `url` of headers and footers: the URL of a web page, empty for documents."""

import io
from collections.abc import Iterator
from typing import Any

import pypdf
import pytest

from chalicelib.core.json import JsonObject
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.formats import pdf as pdf_format
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from tests.builders.pages.engine_jobs import NoTemplates, RefusingEgress, Task, task, web_page_task
from tests.builders.pages.pdfs import objects_text
from tests.builders.pages.web_site import Site, SitePage, running_site

HEADER: JsonObject = {"enabled": True, "html": "[<b class=url>x</b>|<b class=title></b>]"}
# Printed by the browser itself, and overlaid afterwards.
KINDS: tuple[dict[str, Any], ...] = ({}, {"page_number_start": 7})


@pytest.fixture(scope="module")
def web() -> Iterator[Site]:
    with running_site({}) as web:
        yield web


def printed(connected: Browser, each: Task) -> str:
    parts = PipelineServices(connected, NoTemplates(), RefusingEgress())
    (file,) = run_page_job(*each, parts).files
    assert b".invalid" not in objects_text(file.content)
    (page,) = pypdf.PdfReader(io.BytesIO(file.content)).pages
    return page.extract_text()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("incremental", [False, True])
def test_url_is_the_final_url_without_credentials(
    connected: Browser,
    web: Site,
    monkeypatch: pytest.MonkeyPatch,
    kind: dict[str, Any],
    *,
    incremental: bool,
) -> None:
    if incremental:
        monkeypatch.setattr(pdf_format, "_SLOW_BYTES_OPENED", 0)
        monkeypatch.setattr(pdf_format, "_SLOW_BYTES_REWRITTEN", 0)
    web.pages |= {
        "/from": SitePage(status=302, headers={"Location": "/to?a=1&b=2#c"}),
        "/to?a=1&b=2": SitePage("<title>T</title>x"),
    }
    url = web.url("/from").replace("//", "//anna:secret@")

    text = printed(connected, web_page_task(url, {"pdf": {"header": HEADER, **kind}}))

    assert f"[{web.url('/to?a=1&b=2#c')}|T]" in text


@pytest.mark.parametrize("kind", KINDS)
def test_url_is_empty_for_html_documents(connected: Browser, kind: dict[str, Any]) -> None:
    text = printed(connected, task("<title>T</title>x", {"pdf": {"header": HEADER, **kind}}))

    assert "[|T]" in text
