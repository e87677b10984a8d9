"""Signed links over HTTP: raw bytes of the request line, a real browser's files, many callers."""

import hashlib
import hmac
import http.client
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pytest
from PIL import Image

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

HTML = "<body style='margin: 0; background: {{ colour }}'>{{ a.b }}"
SIZE = {"image": {"width": 60, "height": 30}}
CALLERS = 20


@pytest.fixture(scope="module")
def template_id(live: ApiClient) -> str:
    template = {"name": "Badge", "html": HTML, "publish": True}
    made: str = live.http.post("/templates", json=template).json()["id"]
    return made


@pytest.fixture
def link(live: ApiClient, template_id: str) -> dict[str, Any]:
    body = {"name": "Badge", "template_id": template_id, "output": SIZE}
    answer = live.http.post("/signed-links", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def send(stack: RunningStack, target: str, method: str = "GET") -> tuple[Any, bytes]:
    """Send a request line as it is: no client rewrites it on its way."""
    connection = http.client.HTTPConnection(urlsplit(stack.files_host).netloc, timeout=40)
    connection.putrequest(method, target, skip_accept_encoding=True)
    connection.endheaders()
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def sign(link: dict[str, Any], file: str, query: str) -> str:
    target = f"/l/{link['id']}/{file}?{query}"
    key, message = link["secret"].encode(), target.encode()
    return f"{target}&sig={hmac.new(key, message, hashlib.sha256).hexdigest()}"


def rendered(live: ApiClient, template_id: str) -> Sequence[dict[str, Any]]:
    listed: Sequence[dict[str, Any]] = live.http.get(
        "/renders", params={"template_id": template_id, "limit": 100}
    ).json()["data"]
    return listed


@pytest.mark.parametrize(
    ("file", "query"),
    [
        ("a.png", "colour=%23ff0000"),
        ("a.png", "colour=%23FF0000&a.b=x+y%20z"),
        ("a.png", "a%2Eb=%2f%2F/&colour=red"),
        ("a%2fb%2F%20c.png", "z=1&colour=red&y=%26&empty=&flag"),
        ("a+b;c,d=e@f.png", "colour=red&a.b=~!*'()"),
        ("%c3%a4.png", "a.b=%C3%A4&colour=re%64"),
    ],
)
def test_signature_holds_for_the_bytes_that_were_sent(
    stack: RunningStack, link: dict[str, Any], file: str, query: str
) -> None:
    answer, body = send(stack, sign(link, file, query))
    other, _ = send(stack, sign(link, file, query).replace("&", "%26", 1))

    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/png"), body
    with Image.open(BytesIO(body)) as picture:
        assert picture.size == (60, 30)
        assert picture.convert("RGB").getpixel((59, 29)) == (255, 0, 0)
    assert other.status == 403


def test_callers_of_a_new_url_share_one_render(
    stack: RunningStack, live: ApiClient, link: dict[str, Any], template_id: str
) -> None:
    target = sign(link, "shared.pdf", "colour=blue")
    before = len(rendered(live, template_id))

    with ThreadPoolExecutor(CALLERS) as threads:
        answers = list(threads.map(lambda _: send(stack, target), range(CALLERS)))

    assert {answer.status for answer, _ in answers} == {200}
    assert len({body for _, body in answers}) == 1
    assert answers[0][1].startswith(b"%PDF-")
    assert len(rendered(live, template_id)) == before + 1
    shown = live.http.get(f"/signed-links/{link['id']}").json()
    assert shown["quota_used"] == 1


def test_answer_is_right_for_an_img(stack: RunningStack, link: dict[str, Any]) -> None:
    answer, _ = send(stack, sign(link, "a.webp", "colour=red"))
    refused, _ = send(stack, sign(link, "a.webp", "colour=red") + "0")
    head, body = send(stack, sign(link, "a.webp", "colour=red"), "HEAD")

    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Cache-Control"] == "public, max-age=86400"
    assert answer.headers["Content-Disposition"].startswith("inline")
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "Set-Cookie" not in answer.headers
    assert (refused.status, refused.headers["Cache-Control"]) == (403, "no-store")
    assert refused.headers["Content-Type"] == "application/problem+json"
    assert (head.status, body) == (200, b"")


def test_signed_url_of_the_api_works(
    stack: RunningStack, live: ApiClient, link: dict[str, Any]
) -> None:
    wanted = {"name": "Ada's card", "format": "jpg", "params": {"colour": "#0f0", "a": {"b": "ü"}}}
    url = live.http.post(f"/signed-links/{link['id']}/sign", json=wanted).json()["url"]

    answer, body = send(stack, url.removeprefix(stack.files_host))

    assert (answer.status, answer.headers["Content-Type"]) == (200, "image/jpeg"), body
