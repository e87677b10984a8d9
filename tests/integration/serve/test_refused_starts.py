"""Starts that are refused say why, in one line, and leave what is there."""

import json
import socket

import httpx
import pytest

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server

pytestmark = pytest.mark.integration


def refusal(server: RunningServer, *options: str) -> str:
    with running_server(server.data) as other:
        other.log = server.data.with_name("other.log")
        other.launch(*options)
        assert other.process.wait(60) == 1
        return other.log.read_text(encoding="utf-8")


def test_second_server_on_a_folder(server: RunningServer, tenant: RunningStack) -> None:
    said = refusal(server)

    assert said == (f"{server.data}: another server holds this folder, at {tenant.base_url}\n")
    assert httpx.get(f"{tenant.files_host}/healthz").status_code == 200


def test_port_in_use(own_server: RunningServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        said = refusal(own_server, "--port", port)

    assert said == f"127.0.0.1, port {port}: Address already in use; --port takes another one\n"


def test_address_of_another_machine(own_server: RunningServer) -> None:
    said = refusal(own_server, "--port", "0", "--host", "192.0.2.1")

    assert said.startswith("192.0.2.1, port 0: ")


def test_folder_of_a_newer_release(own_server: RunningServer) -> None:
    own_server.data.mkdir()
    about = {"format": 2_000, "release": "99.0.0"}
    (own_server.data / "format.json").write_text(json.dumps(about))

    assert "written by release 99.0.0" in refusal(own_server)


def test_server_on_all_addresses_answers_to_addresses(own_server: RunningServer) -> None:
    own_server.start("--port", "0", "--host", "0.0.0.0")  # noqa: S104 -- this is about it
    url = own_server.run_info["files_host"]

    def status(host: str) -> int:
        return httpx.get(f"{url}/healthz", headers={"Host": host}).status_code

    assert url.startswith("http://127.0.0.1:")
    assert (status("192.168.7.7:8700"), status("page.example")) == (200, 421)
