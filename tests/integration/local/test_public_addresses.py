"""Service whose clients reach it at other names than its port's: URLs, files and hosts."""

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from email.message import Message
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import pytest

from infra.local.running_stack import RunningStack, running_stack
from tests.builders.stack.operator_environment import operator_environment

pytestmark = pytest.mark.integration

API: Final = "https://api.example.test"
FILES: Final = "https://files.example.test:8443"
HELLO: Final = {"input": {"type": "html", "html": "<h1>Hello</h1>"}}


@pytest.fixture(scope="module")
def stack() -> Iterator[RunningStack]:
    with running_stack(
        PLATEN_BASE_URL=f"{API}/platen/v1",
        PLATEN_FILES_HOST=FILES,
        PLATEN_TRUSTED_PROXIES="127.0.0.0/8",
    ) as running:
        yield running


class Answer:
    """Answer of the service to a request as a proxy passes it on."""

    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body


def send(
    stack: RunningStack,
    method: str,
    url: str,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send a request for a public URL to the port, as a proxy that changes nothing does."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(urlsplit(stack.own_url).netloc, timeout=60)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    connection.request(method, target, body, {"Host": parts.netloc, **(headers or {})})
    received = connection.getresponse()
    answer = Answer(received.status, received.headers, received.read())
    connection.close()
    return answer


def api(stack: RunningStack, method: str, path: str, body: object = None, **headers: str) -> Answer:
    sent = {
        "Authorization": f"Bearer {stack.live_key}",
        "Content-Type": "application/json",
        **headers,
    }
    text = None if body is None else json.dumps(body).encode()
    return send(stack, method, f"{stack.base_url}{path}", text, sent)


def test_run_file_has_the_public_urls(stack: RunningStack) -> None:
    assert (stack.base_url, stack.files_host) == (f"{API}/platen/v1", FILES)


def test_a_file_arrives_through_the_one_port(stack: RunningStack) -> None:
    (file,) = json.loads(api(stack, "POST", "/renders", HELLO).body)["files"]
    assert file["url"].startswith(f"{FILES}/files/")

    redirect = send(stack, "GET", file["url"])
    assert redirect.status == 302
    location = str(redirect.headers["Location"])
    assert location.startswith(f"{FILES}/")

    content = send(stack, "GET", location)
    assert (content.status, content.body[:5]) == (200, b"%PDF-")
    assert len(content.body) == file["bytes"]


def test_a_path_before_the_version_may_be_left_or_taken_away(stack: RunningStack) -> None:
    taken_away = send(stack, "GET", f"{API}/v1/openapi.json")
    left = send(stack, "GET", f"{API}/platen/v1/openapi.json")

    assert (taken_away.status, left.status) == (200, 200)
    assert json.loads(left.body)["servers"] == [{"url": f"{API}/platen"}]


def test_problems_name_the_public_url(stack: RunningStack) -> None:
    answer = send(stack, "POST", f"{stack.base_url}/renders", b"{}")

    assert answer.status == 401
    assert json.loads(answer.body)["type"].startswith(f"{API}/platen/errors/")


def test_an_upload_goes_through_the_one_port(stack: RunningStack) -> None:
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": 12}
    created = json.loads(api(stack, "POST", "/uploads", announced).body)
    form = created["upload"]
    assert form["url"].startswith(f"{FILES}/")
    boundary = "7c6e"
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in form["fields"].items()
    ]
    file = (
        f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.html"\r\n'
        f"Content-Type: text/html\r\n\r\n<h1>Hi</h1>\n\r\n--{boundary}--\r\n"
    )

    sent = send(
        stack,
        "POST",
        form["url"],
        "".join([*parts, file]).encode(),
        {"Content-Type": f"multipart/form-data; boundary={boundary}"},
    )

    assert sent.status in {200, 201, 204}, sent.body
    upload = json.loads(api(stack, "GET", f"/uploads/{created['id']}").body)
    assert upload["status"] == "ready"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("GET", "?list-type=2"),
        ("GET", "?X-Amz-Signature=0"),
        ("PUT", "/a"),
        ("DELETE", "/a"),
        ("POST", "?delete"),
        ("GET", "/../platen-mainqueue"),
    ],
)
def test_the_bucket_shows_nothing_that_is_not_signed(
    stack: RunningStack, method: str, path: str
) -> None:
    bucket = stack.resources["FilesBucket"]["Ref"]

    answer = send(stack, method, f"{FILES}/{bucket}{path}")

    assert answer.status in {403, 404}
    assert b"<Key>" not in answer.body


def test_another_host_is_refused(stack: RunningStack) -> None:
    assert send(stack, "GET", "https://rebound.example/healthz").status == 421


def test_an_allowlist_sees_the_client_behind_the_proxy(stack: RunningStack) -> None:
    forwarded = {"X-Forwarded-For": "192.0.2.1, 203.0.113.7"}
    allowed, other = key_for(stack, "203.0.113.7/32"), key_for(stack, "192.0.2.1/32")

    assert status(stack, allowed, forwarded) == 200
    # The first address was sent by the client itself.
    assert status(stack, other, forwarded) == 403
    assert status(stack, allowed, {}) == 403


def status(stack: RunningStack, key: str, headers: Mapping[str, str]) -> int:
    sent = {"Authorization": f"Bearer {key}", **headers}
    return send(stack, "GET", f"{stack.base_url}/renders", None, sent).status


def key_for(stack: RunningStack, network: str) -> str:
    """Make a key that only clients of this network may use."""
    options = ["--workspace", stack.workspace, "--mode", "test", "--allow-ip", network]
    made = subprocess.run(
        [Path(sys.executable).with_name("platen"), "key", "create", *options, "--json"],
        env=os.environ | operator_environment(stack),
        check=True,
        capture_output=True,
    )
    key: str = json.loads(made.stdout)["key"]
    return key
