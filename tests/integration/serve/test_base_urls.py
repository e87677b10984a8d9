"""A base URL with an IPv6 address, a port and a path: all of it comes back in what is made."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from infra.local.paths import free_port
from infra.serve.running_server import running_server
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import PATIENCE_S

pytestmark = [pytest.mark.integration, pytest.mark.breadth]


def test_a_base_url_with_address_port_and_path(tmp_path: Path) -> None:
    port = str(free_port())
    origin = f"http://[::1]:{port}"
    variables = {
        "PLATEN_BASE_URL": f"{origin}/documents/v1",
        "PLATEN_TRUSTED_PROXIES": "::1/128",
    }
    with running_server(tmp_path / "data", **variables) as server:
        server.start("--host", "::1", "--port", port)
        tenant = server.create_tenant("Acme")
        assert server.base_url == f"{origin}/documents/v1"
        with ApiClient(tenant, tenant.live_key) as client:
            (file,) = client.render().raise_for_status().json()["files"]
            announced = {"filename": "a.html", "content_type": "text/html", "bytes": 5}
            upload = client.http.post("/uploads", json=announced).raise_for_status()
            location = urlsplit(upload.headers["Location"])
            form = upload.json()["upload"]

        assert (location.netloc, location.path[:21]) == (f"[::1]:{port}", "/documents/v1/uploads")
        assert file["url"].startswith(f"{origin}/files/")
        got = httpx.get(file["url"], follow_redirects=True)
        assert (got.url.host, got.content[:4]) == ("::1", b"%PDF")
        sent = httpx.post(form["url"], data=form["fields"], files={"file": b"<p>hi"})
        assert sent.is_success, sent.text

        pages = {"index.html": b"<p>large", "data.bin": os.urandom(5_000_000)}
        large = httpx.post(
            f"{origin}/documents/forms/chromium/convert/html",
            files=[("files", page) for page in pages.items()],
            auth=("x", tenant.live_key),
            timeout=PATIENCE_S,
        )
        assert (large.status_code, large.content[:4]) == (200, b"%PDF")

        options = ("--workspace", tenant.workspace, "--mode", "live", "--allow-ip")
        key = server.platen("key", "create", *options, "2001:db8::7/128")["key"]
        with ApiClient(tenant, key) as client:
            for forwarded, status in (("2001:db8::7", 200), ("2001:db8::7, 2001:db8::8", 403)):
                headers = {"X-Forwarded-For": forwarded}
                assert client.http.get("/renders", headers=headers).status_code == status
