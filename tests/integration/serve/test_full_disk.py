"""A disk that runs full: new work is refused, what was accepted ends, and nothing is lost."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from infra.serve.running_server import RunningServer, running_server
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually

# What had been claimed is free after some minutes; only a test that fails waits this long.
RENDER_PATIENCE_S: Final = 1_500.0

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small disk for a server"),
]
DISK_MB: Final = 900
MIN_FREE_MB: Final = 300


@pytest.fixture
def small(tmp_path: Path) -> Iterator[RunningServer]:
    """Give a server that is not started, on a disk of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    run("mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "none", str(disk))
    try:
        with running_server(disk / "data", PLATEN_MIN_FREE_MB=str(MIN_FREE_MB)) as server:
            yield server
    finally:
        run("umount", "--lazy", str(disk))


def run(*command: str) -> None:
    subprocess.run(command, check=True)


def fill(folder: Path, free_mb: int) -> Path:
    """Fill the disk of a folder until so much is free."""
    status = os.statvfs(folder)
    file = folder.parent / "filling"
    with file.open("wb") as filling:
        free = status.f_bavail * status.f_frsize
        os.posix_fallocate(filling.fileno(), 0, free - (free_mb << 20))
    return file


def fill_whole(folder: Path) -> Path:
    """Fill the disk of a folder until nothing is free, whatever others write meanwhile."""
    file = folder.parent / "filling"
    size = 0
    with file.open("wb") as filling:
        for step in (1 << 24, 1 << 20, 1 << 12):
            with contextlib.suppress(OSError):
                while True:
                    os.posix_fallocate(filling.fileno(), size, step)
                    size += step
    return file


def test_a_full_disk_refuses_new_work_and_loses_nothing(small: RunningServer) -> None:
    small.start()
    tenant = small.create_tenant("Acme")
    with ApiClient(small, tenant.live_key) as client:
        accepted = [client.render(mode="async").raise_for_status().json()["id"] for _ in range(5)]
        template = client.http.post(
            "/templates", json={"name": "A", "type": "html", "content": {"html": "<p>a"}}
        ).raise_for_status()

        filling = fill(small.data, MIN_FREE_MB - 100)

        refused = eventually(
            lambda: answer if (answer := client.render()).status_code != 200 else None
        )
        assert refused.status_code == 503
        assert refused.json()["code"] == "region_degraded"
        assert "disk" in refused.json()["detail"]
        assert int(refused.headers["Retry-After"]) > 0
        assert client.render(mode="async").status_code == 503
        upload = {"filename": "a.png", "content_type": "image/png", "bytes": 10}
        assert client.http.post("/uploads", json=upload).status_code == 503

        # What was accepted ends, and everything else goes on.
        ended = [client.wait_until_final(each) for each in accepted]
        assert {each["status"] for each in ended} == {"succeeded"}
        assert client.http.delete(f"/templates/{template.json()['id']}").is_success
        assert "new work is refused" in small.log.read_text()

        filling.unlink()

        eventually(lambda: client.render().status_code == 200, pause_s=0.5)
        for render in ended:
            file = httpx.get(render["files"][0]["url"], follow_redirects=True).raise_for_status()
            assert file.content.startswith(b"%PDF")
        assert "has room again" in small.log.read_text()


@pytest.mark.breadth
def test_a_disk_without_any_room_loses_nothing(small: RunningServer) -> None:
    small.start()
    tenant = small.create_tenant("Acme")
    with ApiClient(small, tenant.live_key) as client:
        kept = client.render().raise_for_status().json()
        slow = {"wait": {"delay_ms": 1_000}}
        accepted = [
            client.render(mode="async", output=slow).raise_for_status().json()["id"]
            for _ in range(8)
        ]
        eventually(lambda: client.get(accepted[0])["status"] != "queued")

        filling = fill_whole(small.data)

        refused = eventually(
            lambda: answer if (answer := client.render()).status_code == 503 else None
        )
        assert refused.json()["code"] == "region_degraded"
        # Now not even the use of a key can be counted, and what runs cannot be stored.
        eventually(lambda: client.http.get(f"/renders/{kept['id']}").status_code == 503)

        filling.unlink()

        eventually(lambda: client.render().status_code == 200, pause_s=0.5)
        rows = [client.wait_until_final(each, RENDER_PATIENCE_S) for each in accepted]
        assert {row["status"] for row in rows} == {"succeeded"}
        for row in (kept, *rows):
            url = row["files"][0]["url"]
            file = httpx.get(url, follow_redirects=True).raise_for_status().content
            assert len(file) == row["files"][0]["bytes"]
