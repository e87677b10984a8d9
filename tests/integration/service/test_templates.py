"""Templates over real HTTP, a real table and a real browser, with many concurrent callers."""

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from PIL import Image
from pypdf import PdfReader

from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

AT_ONCE = 20
HTML = "<!doctype html><title>T</title><h1>Hello {{ name }}</h1>"
LARGE = HTML + "<!-- " + "x" * 450_000 + " -->"


def at_once(call: Callable[[int], httpx.Response]) -> list[httpx.Response]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(call, range(AT_ONCE)))


def made(live: ApiClient, **fields: Any) -> str:
    answer = live.http.post("/templates", json={"name": "T", "html": HTML} | fields)
    assert answer.status_code == 201, answer.text
    return f"/templates/{answer.json()['id']}"


def rendered(live: ApiClient, path: str, **fields: Any) -> httpx.Response:
    source = {"type": "template", "template_id": path.rpartition("/")[2]}
    body = {"input": source, "data": {"name": "Ada"}, "delivery": {"type": "binary"}} | fields
    return live.http.post("/renders", json=body)


@pytest.mark.parametrize("html", [HTML, LARGE], ids=["small", "large"])
def test_published_template_is_rendered(live: ApiClient, html: str) -> None:
    options = {"pdf": {"page_size": "A5"}, "filename": "For {{ name }}"}
    path = made(live, html=html, css="h1 { color: #123456 }", header="{{ name }}", options=options)
    assert rendered(live, path).json()["code"] == "version_not_found"
    assert live.http.post(f"{path}/publish").status_code == 201

    answer = rendered(live, path)

    assert answer.status_code == 200, answer.text
    (page,) = PdfReader(io.BytesIO(answer.content)).pages
    assert "Hello Ada" in page.extract_text()
    assert round(page.mediabox.width / 72 * 25.4) == 148
    assert "For Ada.pdf" in answer.headers["Content-Disposition"]
    assert live.http.put(f"{path}/draft", json={"html": html + "."}).status_code == 200
    assert live.http.delete(path).status_code == 200
    assert rendered(live, path).json()["code"] == "template_deleted"
    assert live.http.post(f"{path}/restore").status_code == 200
    assert rendered(live, path).status_code == 200


def test_published_template_has_a_picture_of_its_first_page(live: ApiClient) -> None:
    style = "html { background: #ff0000 } h1 { color: #fff }"
    dataset = {"name": "Sample", "data": {"name": "Ada"}}
    path = made(live, css=style, datasets=[dataset], options={"pdf": {"page_size": "A5"}})
    assert live.http.get(path).json()["thumbnail_url"] is None

    assert live.http.post(f"{path}/publish").status_code == 201

    url = live.http.get(path).json()["thumbnail_url"]
    fetched = httpx.get(url, follow_redirects=True)
    assert fetched.headers["Content-Type"] == "image/webp"
    picture = Image.open(io.BytesIO(fetched.content)).convert("RGB")
    assert abs(picture.width - 480) <= 4
    assert round(picture.height / picture.width, 1) == 1.4
    red, green, blue = picture.resize((1, 1)).tobytes()
    assert red > 200
    assert max(green, blue) < 100


def test_concurrent_edits_lose_no_draft_and_skip_no_version(live: ApiClient) -> None:
    path = made(live)

    drafts = at_once(lambda n: live.http.put(f"{path}/draft", json={"html": str(n), "revision": 1}))
    published = at_once(lambda _: live.http.post(f"{path}/publish"))

    (accepted,) = [answer.json() for answer in drafts if answer.status_code == 200]
    codes = {answer.json()["code"] for answer in drafts if answer.status_code != 200}
    assert codes == {"draft_revision_conflict"}
    assert live.http.get(f"{path}/draft").json() == accepted
    numbers = sorted(answer.json()["number"] for answer in published)
    assert numbers == list(range(1, AT_ONCE + 1))
