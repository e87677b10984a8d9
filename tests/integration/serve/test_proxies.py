"""The examples for nginx and Caddy in front of a server: what clients do arrives, once, as sent."""

import http.client
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest

from infra.local.paths import free_port
from infra.serve.running_server import RunningServer, running_server
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.stack.proxies import caddy, nginx
from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration
HELLO: Final = {"input": {"type": "html", "html": "<h1>Hello</h1>"}}
# The proxy reaches the server from 127.0.0.1.
CLIENT: Final = "127.0.0.5"

type Proxy = Callable[[Path, int, Certificates], AbstractContextManager[int]]


class Proxied(NamedTuple):
    """Server behind a proxy, with a workspace."""

    server: RunningServer
    certificates: Certificates
    port: int
    workspace: str

    def client(self, *options: str) -> httpx.Client:
        """Return a client with a new live key, with these options of `platen key create`."""
        chosen = ("--workspace", self.workspace, "--mode", "live", *options)
        key = self.server.platen("key", "create", *chosen)["key"]
        context = ssl.create_default_context(cafile=self.certificates.ca_file)
        return httpx.Client(
            base_url=self.server.base_url,
            headers={"Authorization": f"Bearer {key}"},
            timeout=PATIENCE_S,
            transport=httpx.HTTPTransport(verify=context, local_address=CLIENT),
        )


@pytest.fixture(scope="module", params=[nginx, caddy], ids=["nginx", "caddy"])
def proxied(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxied]:
    proxy: Proxy = request.param
    folder = tmp_path_factory.mktemp("proxy")
    made = certificates(folder)
    upstream = free_port()
    with proxy(folder, upstream, made) as port:
        variables = {
            "PLATEN_BASE_URL": f"https://127.0.0.1:{port}/documents/v1",
            "PLATEN_TRUSTED_PROXIES": "127.0.0.1/32",
        }
        with running_server(folder / "data", **variables) as server:
            server.start("--port", str(upstream))
            workspace = str(server.platen("workspace", "create", "Acme")["id"])
            yield Proxied(server, made, port, workspace)


def test_a_document_and_its_file_come_through(proxied: Proxied) -> None:
    origin = f"https://127.0.0.1:{proxied.port}"
    with proxied.client() as client:
        answer = client.post("/renders", json=HELLO).raise_for_status()
        (file,) = answer.json()["files"]
        assert file["url"].startswith(f"{origin}/files/")
        content = client.get(file["url"], follow_redirects=True).raise_for_status()
    assert str(content.url).startswith(f"{origin}/")
    assert content.content.startswith(b"%PDF")
    assert len(content.content) == file["bytes"]


def test_the_path_of_the_base_url_is_before_the_version(proxied: Proxied) -> None:
    assert urlsplit(proxied.server.base_url).path == "/documents/v1"
    with proxied.client() as client:
        described = client.get("/openapi.json").raise_for_status().json()
    assert described["servers"] == [{"url": proxied.server.base_url.removesuffix("/v1")}]


def test_an_upload_by_form_is_larger_than_a_proxy_takes_by_default(proxied: Proxied) -> None:
    content = os.urandom(40_000_000)
    announced = {"filename": "a.png", "content_type": "image/png", "bytes": len(content)}
    with proxied.client() as client:
        created = client.post("/uploads", json=announced).raise_for_status().json()
        form = created["upload"]
        sent = client.post(form["url"], data=form["fields"], files={"file": ("a.png", content)})
        assert sent.is_success, sent.text
        assert client.get(f"/uploads/{created['id']}").json()["status"] == "ready"


def test_a_body_beyond_every_upload_is_refused(proxied: Proxied) -> None:
    context = ssl.create_default_context(cafile=proxied.certificates.ca_file)
    client = http.client.HTTPSConnection(
        "127.0.0.1", proxied.port, context=context, timeout=PATIENCE_S
    )
    client.putrequest("POST", "/documents/v1/renders")
    client.putheader("Content-Length", str(250_000_000))
    client.endheaders()
    assert client.getresponse().status == 413
    client.close()


def test_an_allowlist_sees_the_client_and_not_what_it_forges(proxied: Proxied) -> None:
    for headers in ({}, {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "127.0.0.1"}):
        with proxied.client("--allow-ip", f"{CLIENT}/32") as client:
            assert client.get("/renders", headers=headers).status_code == 200
        for other in ("192.0.2.1/32", "127.0.0.1/32"):
            with proxied.client("--allow-ip", other) as client:
                assert client.get("/renders", headers=headers).status_code == 403


def test_clients_may_speak_http2(proxied: Proxied) -> None:
    context = ssl.create_default_context(cafile=proxied.certificates.ca_file)
    context.set_alpn_protocols(["h2", "http/1.1"])
    connection = socket.create_connection(("127.0.0.1", proxied.port), PATIENCE_S)
    with context.wrap_socket(connection, server_hostname="127.0.0.1") as secured:
        assert secured.selected_alpn_protocol() == "h2"


def test_a_restart_of_the_server_is_a_502_and_no_more(proxied: Proxied) -> None:
    with proxied.client() as client:
        port = urlsplit(proxied.server.own_url).port
        proxied.server.stop()
        assert client.get("/account").status_code in {502, 503}
        proxied.server.start("--port", str(port))
        assert client.get("/account").status_code == 200
