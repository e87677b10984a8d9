"""The service's own TLS: from the client's handshake to the file, and certificates that change."""

import http.client
import os
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

import httpx
import pytest
from cryptography import x509

from infra.serve.running_server import RunningServer, running_server
from infra.template import ROOT
from tests.builders.pages.certificates import Certificates, certificates
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration
HELLO: Final = {"input": {"type": "html", "html": "<h1>Hello</h1>"}}


class Secured(NamedTuple):
    """Server that speaks TLS, its files, and a workspace on it."""

    server: RunningServer
    certificates: Certificates
    folder: Path
    workspace: str
    key: str

    def client(self, ca_file: Path | None = None, key: str | None = None) -> httpx.Client:
        context = ssl.create_default_context(cafile=ca_file or self.certificates.ca_file)
        headers = {"Authorization": f"Bearer {key or self.key}"}
        return httpx.Client(
            base_url=self.server.base_url, verify=context, headers=headers, timeout=PATIENCE_S
        )

    @property
    def port(self) -> int:
        port = urlsplit(self.server.base_url).port
        assert port is not None
        return port

    def handshake(self, context: ssl.SSLContext) -> ssl.SSLSocket:
        connection = socket.create_connection(("127.0.0.1", self.port), PATIENCE_S)
        return context.wrap_socket(connection, server_hostname="127.0.0.1")

    def serial_number(self) -> int:
        """Return the serial number of the certificate that a new connection gets."""
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        with self.handshake(context) as connection:
            der = connection.getpeercert(binary_form=True)
        assert der is not None
        return x509.load_der_x509_certificate(der).serial_number

    def replace(self, content: bytes) -> None:
        """Replace the file at one moment, as tools that renew certificates do."""
        new = self.folder / "new.pem"
        new.write_bytes(content)
        new.replace(self.folder / "live.pem")


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("tls")
    made = certificates(folder)
    live = folder / "live.pem"
    shutil.copy(made.server_file, live)
    with running_server(folder / "data", PLATEN_TLS_CERT=str(live)) as server:
        server.start()
        workspace = str(server.platen("workspace", "create", "Acme")["id"])
        key = server.platen("key", "create", "--workspace", workspace, "--mode", "live")
        yield Secured(server, made, folder, workspace, str(key["key"]))


def test_a_document_and_its_file_come_over_tls(secured: Secured) -> None:
    assert secured.server.base_url.startswith("https://127.0.0.1:")
    with secured.client() as client:
        render = client.post("/renders", json=HELLO).raise_for_status().json()
        url = render["files"][0]["url"]
        assert url.startswith("https://127.0.0.1:")
        file = client.get(url, follow_redirects=True).raise_for_status().content
    assert file.startswith(b"%PDF")
    assert len(file) == render["files"][0]["bytes"]


def test_a_large_upload_goes_through(secured: Secured) -> None:
    content = os.urandom(30_000_000)
    announced = {"filename": "a.bin", "content_type": "image/png", "bytes": len(content)}
    with secured.client() as client:
        created = client.post("/uploads", json=announced).raise_for_status().json()
        form = created["upload"]
        sent = client.post(form["url"], data=form["fields"], files={"file": ("a.bin", content)})
        assert sent.is_success, sent.text
        assert client.get(f"/uploads/{created['id']}").json()["status"] == "ready"


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
def test_older_tls_is_refused(secured: Secured) -> None:
    old = ssl.create_default_context(cafile=secured.certificates.ca_file)
    old.set_ciphers("DEFAULT@SECLEVEL=0")
    old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError):
        secured.handshake(old)


def test_plain_http_is_refused(secured: Secured) -> None:
    plain = http.client.HTTPConnection("127.0.0.1", secured.port, timeout=PATIENCE_S)
    plain.request("GET", "/v1/openapi.json")
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        plain.getresponse()


def test_connections_that_say_nothing_stop_no_other(secured: Secured) -> None:
    silent = [socket.create_connection(("127.0.0.1", secured.port)) for _ in range(50)]
    with secured.client() as client:
        assert client.get("/account").status_code == 200
    for connection in silent:
        connection.close()


def test_an_allowlist_sees_the_client_and_not_what_it_forges(secured: Secured) -> None:
    options = ("--workspace", secured.workspace, "--mode", "test", "--allow-ip")
    own = secured.server.platen("key", "create", *options, "127.0.0.1/32")["key"]
    other = secured.server.platen("key", "create", *options, "192.0.2.1/32")["key"]
    forged = {"X-Forwarded-For": "192.0.2.1", "Forwarded": "for=192.0.2.1"}
    with secured.client(key=own) as client:
        assert client.get("/renders", headers=forged).status_code == 200
    with secured.client(key=other) as client:
        assert client.get("/renders", headers=forged).status_code == 403


def test_a_changed_certificate_is_taken_and_a_broken_one_is_not(
    secured: Secured, tmp_path: Path
) -> None:
    first = secured.serial_number()
    with secured.client() as open_before:
        assert open_before.get("/account").status_code == 200

        secured.replace(b"broken")
        eventually(lambda: "stays the former one" in secured.server.log.read_text())
        assert secured.serial_number() == first

        renewed = certificates(tmp_path)
        secured.replace(renewed.server_file.read_bytes())
        eventually(lambda: secured.serial_number() != first)
        # Connections that are open go on.
        assert open_before.get("/account").status_code == 200
    with secured.client(renewed.ca_file) as client:
        assert client.get("/account").status_code == 200


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--tls-cert", "absent.pem"), "absent.pem, a file of the TLS certificate: No such file"),
        (("--tls-key", "key.pem"), "has no --tls-cert"),
        (("--tls-cert", "/dev/null"), "in the form PEM"),
    ],
)
def test_wrong_files_stop_the_start(options: tuple[str, ...], reason: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "infra.serve", "--data", str(tmp_path / "data")]
    ended = subprocess.run(
        [*command, *options], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode in {1, 2}
    assert reason in ended.stderr
    assert not (tmp_path / "data").exists()
