"""The user's own endpoints win over the emulators."""

import asyncio
from pathlib import Path

import pytest

from infra.local import emulators, ministack
from infra.local.access.hosts import LOOPBACK_HOSTS
from infra.local.access.keys import AccessKey
from infra.local.emulators import Emulator, StackError, client_factory, start_emulators
from infra.local.paths import StackFolder
from infra.local.processes import Spawner
from tests.builders.waiting import PATIENCE_S


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    names: list[str] = []

    def fake(name: str) -> Emulator:
        names.append(name)
        return Emulator(name, f"http://{name}", "/", None, Path())  # type: ignore[arg-type]

    monkeypatch.setattr(emulators, "start_dynoxide", lambda *_: fake("dynoxide"))
    monkeypatch.setattr(emulators, "start_ministack", lambda *_: fake("ministack"))
    for name in ("", "_S3", "_SQS", "_KMS", "_SECRETS_MANAGER", "_DYNAMODB"):
        monkeypatch.delenv(f"AWS_ENDPOINT_URL{name}", raising=False)
    return names


def start(tmp_path: Path) -> dict[str, str]:
    return start_emulators(StackFolder(tmp_path), Spawner(), LOOPBACK_HOSTS)[1]


def urls(endpoints: dict[str, str]) -> dict[str, str]:
    return {name: url for name, url in endpoints.items() if name.startswith("AWS_ENDPOINT_URL")}


def test_both_emulators_start_by_default(tmp_path: Path, started: list[str]) -> None:
    endpoints = start(tmp_path)

    assert started == ["dynoxide", "ministack"]
    assert urls(endpoints) == {
        "AWS_ENDPOINT_URL": "http://ministack",
        "AWS_ENDPOINT_URL_DYNAMODB": "http://dynoxide",
    }


def test_one_endpoint_for_all_replaces_both(
    tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://mine")
    for name, value in AccessKey("id", "own").variables().items():
        monkeypatch.setenv(name, value)

    endpoints = start(tmp_path)

    assert started == []
    assert urls(endpoints) == {"AWS_ENDPOINT_URL": "http://mine"}
    assert AccessKey.from_variables(endpoints) == AccessKey("id", "own")


def test_each_stack_has_a_key_of_its_own_whatever_the_user_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in AccessKey("id", "own").variables().items():
        monkeypatch.setenv(name, value)

    keys = {AccessKey.from_variables(start(tmp_path)) for _ in range(2)}

    assert len(keys) == 2
    assert AccessKey("id", "own") not in keys


def test_an_endpoint_of_one_service_replaces_only_that(
    tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_DYNAMODB", "http://mine")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", "http://store")

    endpoints = start(tmp_path)
    clients = client_factory(endpoints)

    assert started == ["ministack"]
    assert clients("dynamodb").meta.endpoint_url == "http://mine"
    assert clients("s3").meta.endpoint_url == "http://store"
    assert clients("sqs").meta.endpoint_url == "http://ministack"


def test_missing_emulator_is_named(tmp_path: Path) -> None:
    with pytest.raises(StackError, match="make setup"):
        emulators._require_installed(tmp_path / "dynoxide")


def test_a_message_wakes_all_readers_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ministack, "LOOK_INTERVAL_S", 3_600)

    async def run() -> int:
        readers = ministack.Readers()
        waiting = [asyncio.create_task(readers.wait(0.1)) for _ in range(3)]
        await asyncio.sleep(0)
        readers.set()
        done, _ = await asyncio.wait(waiting, timeout=PATIENCE_S)
        readers.set()
        return len(done)

    assert asyncio.run(run()) == 3


@pytest.mark.parametrize(("interval_s", "seconds"), [(0, 0.1), (3_600, 0.001)])
def test_without_a_message_a_reader_looks_soon(
    interval_s: float, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ministack, "LOOK_INTERVAL_S", interval_s)

    asyncio.run(asyncio.wait_for(ministack.Readers().wait(seconds), timeout=PATIENCE_S))


def test_missing_localstack_is_installed_with_what_tests_need(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(emulators, "_LOCALSTACK", tmp_path)

    with pytest.raises(StackError, match="make setup-tests"):
        emulators.start_localstack(StackFolder(tmp_path), Spawner(), {})


def test_a_folder_is_held_by_one_process_at_a_time(tmp_path: Path) -> None:
    folder = StackFolder(tmp_path / "new")
    with folder.hold(), pytest.raises(BlockingIOError):
        folder.hold()

    folder.hold().close()
