"""Data folders of earlier releases are served: what they have is shown, rendered and signed."""

import hashlib
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from chalicelib.features.batches.rows import batch_of
from chalicelib.features.renders.rows import render_of
from infra.local.objects.folder import ObjectFolder
from infra.serve.data_folder import FORMAT
from infra.serve.running_server import running_server
from tests.builders.durable_fixture import ARCHIVES, EXPECTED
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.stores import StackStores
from tests.builders.waiting import eventually
from tests.fakes.webhook_receiver import webhook_receiver

pytestmark = pytest.mark.integration
FORMATS = sorted(int(path.name.partition(".")[0]) for path in ARCHIVES.glob("*.tar.xz"))


@pytest.fixture(params=FORMATS)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    with tarfile.open(ARCHIVES / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "data"


def holds(found: Any, expected: Any) -> bool:
    """Tell whether an answer has all of an earlier one; later releases add fields."""
    if isinstance(expected, dict) and isinstance(found, dict):
        return all(name in found and holds(found[name], expected[name]) for name in expected)
    if isinstance(expected, list) and isinstance(found, list):
        return len(found) == len(expected) and all(map(holds, found, expected))
    return bool(found == expected)


def test_each_format_has_an_archive() -> None:
    assert list(range(1, FORMAT + 1)) == FORMATS
    assert all(path.stat().st_size < 300_000 for path in ARCHIVES.iterdir())


def test_folder_is_served(folder: Path) -> None:
    expected = json.loads((folder / EXPECTED).read_text())
    (folder / EXPECTED).unlink()
    with webhook_receiver() as receiver:
        allowed = f"127.0.0.1/32:{receiver.port}"
        with running_server(folder, PLATEN_EGRESS_ALLOW=allowed) as server:
            server.start()
            tenant = server.seen_by(expected["workspace"], expected["test"], expected["live"])
            with ApiClient(tenant, tenant.live_key) as client:
                for path, answer in expected["answers"].items():
                    shown = client.http.get(path).json()
                    assert holds(shown, answer), (shown, answer)
                check_rows(StackStores(tenant), expected)
                source = {"type": "template", "template_id": expected["template"]}
                address = {"url": receiver.url}
                path = f"/webhook-endpoints/{expected['endpoint']}"
                client.http.patch(path, json=address).raise_for_status()

                made = client.http.post(
                    "/renders", json={"input": source, "data": expected["data"], "mode": "async"}
                ).json()["id"]
                assert client.wait_until_final(made)["status"] == "succeeded"

                received = eventually(lambda: _of(receiver.received, made), pause_s=0.1)
                # Its secret was sealed by the release that wrote the folder.
                assert received.verified([expected["secret"]])["type"] == "render.succeeded"
        assert json.loads((folder / "format.json").read_text())["format"] == FORMAT


def _of(received: list[Any], render: str) -> Any:
    return next((each for each in received if render.encode() in each.body), None)


def check_rows(stores: StackStores, expected: dict[str, Any]) -> None:
    """Read the rows that end by themselves after weeks: their time may be over for the API."""

    def row(kind: str) -> Any:
        rows = stores.partition(f"WS#{expected['workspace']}#{kind}")
        return next(each for each in rows if each["SK"] == "META")

    render = render_of(row(f"RND#{expected['render']}"))
    assert render.status == "succeeded"
    assert {each.id for each in render.files} == set(expected["files"])
    batch = batch_of(row(f"BAT#{expected['batch']}"))
    assert (batch.total, batch.status) == (2, "completed")


def test_files_are_read(folder: Path) -> None:
    expected = json.loads((folder / EXPECTED).read_text())
    (bucket,) = (folder / "objects").iterdir()
    objects = ObjectFolder(bucket)
    digests = set()
    for each in objects.walk():
        opened = objects.open(each.key)
        assert opened is not None
        with opened:
            digests.add(hashlib.sha256(opened.content().read(1 << 30)).hexdigest())

    assert set(expected["files"].values()) <= digests
