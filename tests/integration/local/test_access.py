"""Ports of a stack as another user of the machine, or a web page, tries them."""

import http.client
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import psutil
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration
SERVERS: Final = ("AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "AWS_ENDPOINT_URL_LAMBDA")
PAGE: Final = "https://page.example"
FAKE: Final = (
    "AWS4-HMAC-SHA256 Credential=test/20261128/us-east-1/s3/aws4_request, "
    "SignedHeaders=host, Signature=00"
)


def send(
    url: str, method: str, path: str, headers: Mapping[str, str], body: bytes | None = None
) -> tuple[int, Mapping[str, str], bytes]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=20)
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content


@pytest.mark.parametrize("server", SERVERS)
@pytest.mark.parametrize("headers", [{}, {"Authorization": FAKE}], ids=["unsigned", "forged"])
def test_only_signed_requests_are_taken(
    stack: RunningStack, server: str, headers: dict[str, str]
) -> None:
    bucket = stack.resources["FilesBucket"]["Ref"]
    function = stack.resources["APIHandler"]["Ref"]
    targets = {"X-Amz-Target": "secretsmanager.ListSecrets"}
    requests: list[tuple[str, str, dict[str, str]]] = [
        ("GET", f"/{bucket}?list-type=2", {}),
        ("GET", "/", {}),
        ("POST", "/", targets),
        ("POST", "/_ministack/reset", {}),
        ("POST", f"/{bucket}", {**targets, "Content-Type": "multipart/form-data; boundary=x"}),
        ("POST", f"/2015-03-31/functions/{function}/invocations", {}),
    ]

    for method, path, more in requests:
        status, answered, _ = send(stack.endpoints[server], method, path, {**headers, **more}, b"")
        assert status == 403, (method, path)
        assert not [name for name in answered if name.startswith("access-control-")]


@pytest.mark.parametrize("server", [*SERVERS, "gateway"])
def test_a_rebound_name_is_refused(stack: RunningStack, server: str) -> None:
    url = stack.files_host if server == "gateway" else stack.endpoints[server]
    port = urlsplit(url).port

    status, _, body = send(url, "GET", "/v1/account", {"Host": f"page.example:{port}"})

    assert status == 421
    assert b"127.0.0.1 and localhost" in body


def test_the_tables_have_a_network_of_their_own(stack: RunningStack) -> None:
    members = psutil.Process(stack.pid).children(recursive=True)
    (tables,) = [each for each in members if each.exe().endswith("/dynoxide")]

    networks = {Path(f"/proc/{pid}/ns/net").readlink() for pid in (tables.pid, "self")}

    assert len(networks) == 2


@pytest.fixture
def api(stack: RunningStack) -> Iterator[ApiClient]:
    with ApiClient(stack, stack.test_key) as client:
        yield client


@pytest.fixture
def uploaded(api: ApiClient) -> dict[str, Any]:
    body = {"filename": "a.txt", "content_type": "text/plain", "bytes": 5}
    upload: dict[str, Any] = api.http.post("/uploads", json=body).json()["upload"]
    return upload


def send_form(
    upload: Mapping[str, Any], fields: Mapping[str, str], **headers: str
) -> tuple[int, Mapping[str, str], bytes]:
    parts = [
        *(f'name="{name}"\r\n\r\n{value}' for name, value in fields.items()),
        'name="file"; filename="a.txt"\r\n\r\nhello',
    ]
    body = "".join(f"--x\r\nContent-Disposition: form-data; {part}\r\n" for part in parts)
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    path = urlsplit(upload["url"]).path
    return send(upload["url"], "POST", path, kind | headers, f"{body}--x--\r\n".encode())


def test_a_signed_form_uploads_and_only_pages_of_the_api_read_the_answer(
    stack: RunningStack, uploaded: dict[str, Any]
) -> None:
    own, answered, _ = send_form(uploaded, uploaded["fields"], Origin=stack.files_host)
    _, foreign, _ = send_form(uploaded, uploaded["fields"], Origin=PAGE)

    assert own == 204
    assert answered["access-control-allow-origin"] == stack.files_host
    assert not [name for name in foreign if name.startswith("access-control-")]


@pytest.mark.parametrize(
    "change", [{"x-amz-signature": "0" * 64}, None], ids=["forged", "unsigned"]
)
def test_another_form_does_not_upload(
    uploaded: dict[str, Any], change: dict[str, str] | None
) -> None:
    signed = uploaded["fields"]
    fields = {"key": signed["key"]} if change is None else signed | change

    assert send_form(uploaded, fields)[0] == 403


def test_preflights_are_answered_for_pages_of_the_api_only(stack: RunningStack) -> None:
    path = f"/{stack.resources['FilesBucket']['Ref']}"

    def preflight(origin: str, method: str) -> int:
        headers = {"Origin": origin, "Access-Control-Request-Method": method}
        return send(stack.endpoints["AWS_ENDPOINT_URL"], "OPTIONS", path, headers)[0]

    assert preflight(stack.files_host, "POST") == 200
    assert preflight(stack.files_host, "DELETE") == 403
    assert preflight(PAGE, "POST") == 403


def test_files_are_not_sniffed(stack: RunningStack, api: ApiClient) -> None:
    render = api.render(output={"format": "html"}).json()
    address = urlsplit(render["files"][0]["url"])

    status, headers, _ = send(stack.files_host, "GET", f"{address.path}?{address.query}", {})
    while status in {302, 303}:
        located = urlsplit(headers["location"])
        status, headers, _ = send(headers["location"], "GET", f"{located.path}?{located.query}", {})

    assert status == 200, json.dumps(dict(headers))
    assert headers["x-content-type-options"] == "nosniff"
