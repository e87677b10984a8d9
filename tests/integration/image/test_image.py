"""The container image: built from its file, and run with what compose.yaml gives it."""

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import httpx
import pytest

from infra.local.paths import free_port
from tests.builders.stack.image import Container, Image, container_of
from tests.builders.waiting import PATIENCE_S

pytestmark = [
    pytest.mark.integration,
    pytest.mark.breadth,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root makes a base without further users"),
]
HELLO: Final = {"input": {"type": "html", "html": "<h1>Hello</h1>"}}
# What a container's processes are by their files `status`, without the one that asks.
PROCESSES: Final = """
import json, os, pathlib
rows = []
for path in pathlib.Path("/proc").glob("[0-9]*/status"):
    if path.parent.name == str(os.getpid()):
        continue
    try:
        lines = path.read_text().splitlines()
    except OSError:
        continue
    rows.append(dict(line.split(":\\t", 1) for line in lines if ":\\t" in line))
print(json.dumps(rows))
"""


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Image]:
    folder = tmp_path_factory.mktemp("image")
    yield Image(folder)
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("container")


@pytest.fixture(scope="module")
def container(image: Image, folder: Path) -> Iterator[Container]:
    with container_of(image, folder, free_port()) as container:
        yield container


def test_the_image_has_the_service_and_no_more(image: Image) -> None:
    project = image.root / "opt" / "platen"
    assert {path.name for path in project.iterdir()} == {
        *("LICENSE", "NOTICE", "README.md", "app.py", "pyproject.toml"),
        *("chalicelib", "functions", "infra", "layers", ".platen", ".venv"),
    }
    assert {path.name for path in (project / ".platen").iterdir()} == {
        *("bin", "chromium", "console", "fonts", "guides", "ministack", "pages", "validators")
    }
    assert not (image.root / "usr" / "bin" / "gcc").exists()
    # What its user could write, it could change for the next start.
    user = int(image.config["User"])
    assert user != 0
    assert not [path for path in project.rglob("*") if path.lstat().st_uid == user]
    assert not any("KEY" in each or "SECRET" in each for each in image.config["Env"])


def test_documents_are_made_in_it(container: Container) -> None:
    workspace = container.platen("workspace", "create", "Acme")["id"]
    options = ("--workspace", workspace, "--mode", "live")
    key = container.platen("key", "create", *options)["key"]
    headers = {"Authorization": f"Bearer {key}"}

    answer = httpx.post(
        f"{container.base_url}/renders", json=HELLO, headers=headers, timeout=PATIENCE_S
    )

    (file,) = answer.raise_for_status().json()["files"]
    assert httpx.get(file["url"], follow_redirects=True).content.startswith(b"%PDF")


def test_its_health_check_tells_that_it_works(container: Container) -> None:
    kind, *command = container.image.config["Healthcheck"]["Test"]
    assert kind == "CMD"
    assert container.run(*command).returncode == 0
    elsewhere = container.run("env", "PLATEN_DATA=/nowhere", *command)
    assert elsewhere.returncode == 1
    assert "unhealthy" in elsewhere.stderr


def test_its_processes_have_no_rights(container: Container) -> None:
    rows = json.loads(container.run("python", "-c", PROCESSES).stdout)
    user = container.image.config["User"]
    assert len(rows) > 5
    assert {row["Uid"].split()[0] for row in rows} == {user}
    assert {row["Seccomp"] for row in rows} == {"2"}
    assert {row["NoNewPrivs"] for row in rows} == {"1"}
    # Processes of the browser are in namespaces of their own.
    assert any(row["Name"] == "chromium" and len(row["NSpid"].split()) > 1 for row in rows)


def test_nothing_but_its_volume_can_be_written(container: Container) -> None:
    for folder in ("/opt/platen", "/etc", "/"):
        assert "Read-only" in container.run("touch", f"{folder}/a").stderr
    assert container.run("touch", "/data/a").returncode == 0
    container.run("rm", "/data/a")


def test_its_data_outlives_it(image: Image, folder: Path, container: Container) -> None:
    workspace = container.platen("workspace", "create", "Kept")["id"]
    container.stop()
    assert "stopping: what runs may end" in container.log.read_text()

    with container_of(image, folder, container.port) as again:
        assert again.platen("workspace", "show", workspace)["name"] == "Kept"
