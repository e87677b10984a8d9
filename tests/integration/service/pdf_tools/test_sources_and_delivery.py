"""Sources of PDF tools from every place, and their files on every way out."""

import os
from typing import Any
from urllib.parse import urlsplit

import httpx
import pikepdf
import pytest

from tests.builders.pages.web_site import Site, SitePage
from tests.builders.pdfs.changed_pdf import changed
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.tool_runs import page_texts
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tool_requests import RunTool, wait_for
from tests.builders.storage.recording_store import RecordingStore
from tests.fakes.webhook_receiver import WebhookReceiver

pytestmark = pytest.mark.integration

TURNED = ["page 1", "page 2", "page 3"]


def texts_of(answer: httpx.Response) -> list[str]:
    """Return the texts of the pages of an answer that is a PDF."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "application/pdf"
    return page_texts(answer.content)


def heavy(pages: int = 3, size: int = 5_000_000) -> bytes:
    """Return a PDF with a stream that does not compress."""

    def add(document: pikepdf.Pdf) -> None:
        document.Root.Heavy = document.make_stream(os.urandom(size))

    return changed(pdf(pages), add)


def test_source_is_an_upload(run: RunTool, live: ApiClient) -> None:
    sent = live.http.post("/uploads", files={"file": ("a.pdf", pdf(), "application/pdf")})
    source = {"upload_id": sent.json()["id"]}

    answer = run("rotate", source=source, delivery={"type": "binary"})

    assert texts_of(answer) == TURNED


def test_source_is_a_large_upload_that_was_posted_to_the_store(
    run: RunTool, live: ApiClient
) -> None:
    content = heavy()
    announced = {"filename": "a.pdf", "content_type": "application/pdf", "bytes": len(content)}
    upload = live.http.post("/uploads", json=announced).json()
    form = upload["upload"]
    assert run("rotate", source={"upload_id": upload["id"]}).json()["code"] == "conflict"
    httpx.post(form["url"], data=form["fields"], files={"file": content}).raise_for_status()

    render = run("metadata", source={"upload_id": upload["id"]}).json()

    # Neither the source nor the file fits into an invocation.
    assert (render["status"], render["error"]) == ("succeeded", None)
    assert render["files"][0]["bytes"] > 5_000_000
    made = httpx.get(render["files"][0]["url"], follow_redirects=True).content
    assert page_texts(made) == TURNED


def test_source_is_at_an_address(run: RunTool, site: Site) -> None:
    site.pages["/a.pdf"] = SitePage(pdf(), "application/pdf")

    answer = run("rotate", source={"url": site.url("/a.pdf")}, delivery={"type": "binary"})

    assert texts_of(answer) == TURNED
    assert site.paths.count("/a.pdf") == 1


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://169.254.169.254/latest/meta-data/", "url_not_allowed"),
        ("http://127.0.0.1:1/a.pdf", "url_not_allowed"),
        ("{site}/missing.pdf", "asset_fetch_failed"),
    ],
)
def test_address_that_gives_no_source_is_refused(
    run: RunTool, site: Site, url: str, code: str
) -> None:
    refused = run("rotate", source={"url": url.format(site=site.url("").rstrip("/"))})

    assert refused.json()["code"] == code, refused.text


def test_files_of_a_batch_are_sources_and_its_combined_file_is_none(
    run: RunTool, live: ApiClient
) -> None:
    template = live.http.post(
        "/templates", json={"name": "T", "html": "<p>item {{ n }}", "publish": True}
    ).json()
    items = [{"data": {"n": n}} for n in range(2)]
    body = {"template_id": template["id"], "items": items, "combine": {"merged_pdf": True}}
    path = f"/batches/{live.http.post('/batches', json=body).json()['id']}"
    wait_for(lambda: live.http.get(path).json()["status"] == "completed", 60)
    batch = live.http.get(path).json()
    listed = live.http.get("/renders", params={"batch_id": batch["id"]}).json()["data"]
    sources = [{"file_id": live.get(each["id"])["files"][0]["id"]} for each in listed]

    merged = run("merge", sources=sources, delivery={"type": "binary"})
    path_of_file = urlsplit(batch["files"][0]["url"]).path
    combined = run("rotate", source={"file_id": path_of_file.split("/")[2]})

    assert sorted(texts_of(merged)) == ["item 0", "item 1"]
    assert (combined.status_code, combined.json()["code"]) == (404, "not_found")


def test_queued_tool_tells_its_receiver(
    run: RunTool, live: ApiClient, plain_receiver: WebhookReceiver
) -> None:
    accepted = run("rotate", mode="async", webhook={"url": plain_receiver.url})
    render_id = accepted.json()["id"]

    assert accepted.status_code == 202
    assert live.wait_until_final(render_id)["status"] == "succeeded"
    wait_for(lambda: plain_receiver.received)
    (webhook,) = plain_receiver.received
    secret = live.http.get("/webhook-endpoints/default-secret").json()["secret"]
    event = webhook.verified([secret])
    assert event["type"] == "render.succeeded"
    assert event["data"]["object"]["id"] == render_id
    assert event["data"]["object"]["input"]["tool"] == "rotate"


def test_forty_files_go_to_a_store(run: RunTool, live: ApiClient, store: RecordingStore) -> None:
    fields = {"name": "Archive", "path_template": "split/{{ filename }}", **store.destination}
    destination = live.http.post("/storage-destinations", json=fields).json()
    delivery: dict[str, Any] = {"storage": [{"destination_id": destination["id"]}]}

    render = run("split", pdf(40), filename="part", delivery=delivery).json()

    assert (render["status"], len(render["files"])) == ("succeeded", 40), render
    assert {file["format"] for file in render["files"]} == {"pdf"}
    wait_for(lambda: len(store.files) == 40)
    assert store.files.keys() == {f"split/part-{n}.pdf" for n in range(1, 41)}
    for number in (1, 17, 40):
        assert page_texts(store.files[f"split/part-{number}.pdf"]) == [f"page {number}"]
    assert set(store.puts.values()) == {1}
