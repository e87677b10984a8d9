"""`platen doctor` on a machine whose real parts are broken one by one."""

import importlib.metadata
import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final, NamedTuple, override

import pytest

from chalicelib.core.version import VERSION
from infra.local.paths import INSTALL_DIR, free_port
from infra.operator.doctor import machine
from infra.operator.doctor import service as service_checks
from infra.operator.doctor.findings import Check, Finding, run_checks
from infra.operator.doctor.providers import Provider, check_providers, provider_at, provider_of
from infra.template import ROOT
from tests.builders.operator import OperatorTool

HEALTH: Final = {"status": "ok", "version": VERSION, "checks": {"database": "ok"}}


def by_check(findings: Iterable[Finding]) -> dict[str, Finding]:
    return {finding.check: finding for finding in findings}


def is_helpful(finding: Finding) -> bool:
    """Tell whether a finding that is not well says what it has seen, and what to do."""
    return bool(finding.detail and finding.advice)


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the operator tool on a machine where nothing runs."""
    return OperatorTool(tmp_path, monkeypatch)


def linked_copy(source: Path, target: Path) -> Path:
    """Copy a folder by hard links; who breaks a file of it must unlink it first."""
    shutil.copytree(source, target, copy_function=os.link, symlinks=True)
    return target


def test_packages_that_are_not_the_pinned_ones_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    installed = importlib.metadata.version

    def version(name: str) -> str:
        if name == "msgspec":
            raise importlib.metadata.PackageNotFoundError(name)
        return "0.0.1" if name == "waitress" else installed(name)

    assert by_check(machine.check_packages())["packages"].status == "ok"
    monkeypatch.setattr(importlib.metadata, "version", version)

    found = by_check(machine.check_packages())["packages"]
    assert found.status == "error"
    assert "msgspec missing" in found.detail
    assert "waitress 0.0.1 (pinned: " in found.detail
    assert is_helpful(found)


def test_without_lock_files_packages_are_not_judged(tmp_path: Path) -> None:
    assert by_check(machine.check_packages(tmp_path))["packages"].status == "skipped"


def test_installed_parts_are_the_pinned_ones() -> None:
    found = by_check(machine.check_parts())

    assert {name: each.status for name, each in found.items()} == dict.fromkeys(
        (f"parts: {name}" for name in ("chromium", "fonts", "pages", "dynoxide", "ministack")), "ok"
    )


@pytest.mark.parametrize("part", ["chromium", "fonts", "pages"])
def test_a_part_of_another_release_is_found(tmp_path: Path, part: str) -> None:
    folder = tmp_path / part
    folder.mkdir()
    (folder / ".pins").write_text("of another release")

    found = by_check(machine.check_parts(tmp_path))
    assert found[f"parts: {part}"].detail == f"{folder}: another version"
    assert {each.status for each in found.values()} == {"error"}
    assert all(is_helpful(each) for each in found.values())
    # Nothing was made or fetched meanwhile.
    assert [path.name for path in folder.iterdir()] == [".pins"]
    assert [path.name for path in tmp_path.iterdir()] == [part]


def test_another_ministack_is_found(tmp_path: Path) -> None:
    packages = tmp_path / "ministack" / "lib" / "python3.13" / "site-packages"
    (packages / "ministack-9.9.9.dist-info").mkdir(parents=True)

    found = by_check(machine.check_parts(tmp_path))["parts: ministack"]
    assert (found.status, found.detail.split()[0]) == ("error", "9.9.9")


def test_a_missing_browser_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLATEN_CHROMIUM_DIR", str(tmp_path))

    found = by_check(machine.check_walls())
    assert (found["browser"].status, found["walls"].status) == ("error", "skipped")
    assert is_helpful(found["browser"])


@pytest.mark.parametrize("name", ["ttf", "families.json", "cache"])
def test_fonts_that_lack_a_part_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    fonts = linked_copy(INSTALL_DIR / "fonts", tmp_path / "fonts")
    monkeypatch.setenv("PLATEN_FONTS_DIR", str(fonts))
    assert by_check(machine.check_fonts())["fonts"].status == "ok"

    place = fonts / name
    shutil.rmtree(place) if place.is_dir() else place.unlink()

    found = by_check(machine.check_fonts())["fonts"]
    assert found.status == "error"
    assert is_helpful(found)


def test_validators_that_were_altered_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = linked_copy(INSTALL_DIR / "validators", tmp_path / "validators")
    plan = folder / "plan.json"
    text = plan.read_text(encoding="utf-8")
    plan.unlink()
    plan.write_text(f"{text} ", encoding="utf-8")
    monkeypatch.setenv("PLATEN_VALIDATORS_DIR", str(folder))

    found = by_check(machine.check_validators())["validators"]
    assert (found.status, "was altered" in found.detail) == ("error", True)
    assert is_helpful(found)


def test_a_full_disk_and_one_without_inodes_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert by_check(machine.check_disk(tmp_path))["disk: data"].status == "ok"
    free_mb = shutil.disk_usage(tmp_path).free // 1_000_000

    monkeypatch.setenv("PLATEN_MIN_FREE_MB", str(free_mb * 2))
    full = by_check(machine.check_disk(tmp_path))["disk: data"]
    monkeypatch.setenv("PLATEN_MIN_FREE_MB", str(free_mb // 2))
    low = by_check(machine.check_disk(tmp_path))["disk: data"]
    monkeypatch.setenv("PLATEN_MIN_FREE_MB", "1")
    files = list(os.statvfs(tmp_path))
    files[5], files[7] = 1_000_000, 12
    monkeypatch.setattr(os, "statvfs", lambda _path: os.statvfs_result(files))
    crowded = by_check(machine.check_disk(tmp_path))["disk: data"]

    assert [each.status for each in (full, low, crowded)] == ["error", "warning", "error"]
    assert "12 more files" in crowded.detail
    assert all(is_helpful(each) for each in (full, low, crowded))


def test_a_data_folder_that_is_not_there_yet_is_skipped(tmp_path: Path) -> None:
    assert by_check(machine.check_disk(tmp_path / "new"))["disk: data"].status == "skipped"


@pytest.mark.parametrize(("jump_s", "status"), [(0.2, "ok"), (90.0, "error"), (-90.0, "error")])
def test_a_clock_that_jumps_is_found(jump_s: float, status: str) -> None:
    walls, monotonics = iter((1_000.0, 1_010.0 + jump_s)), iter((5.0, 15.0))
    check = machine.ClockCheck(
        wall=lambda: next(walls), monotonic=lambda: next(monotonics), kernel_state=lambda: 0
    )

    found = by_check(check())
    assert (found["clock: jumps"].status, found["clock: kernel"].status) == (status, "ok")


@pytest.mark.parametrize(("state", "status"), [(0, "ok"), (5, "warning"), (None, "skipped")])
def test_a_clock_that_nothing_synchronizes_is_found(state: int | None, status: str) -> None:
    check = machine.ClockCheck(kernel_state=lambda: state)

    assert by_check(check())["clock: kernel"].status == status


def test_the_kernel_is_asked_about_its_clock() -> None:
    assert machine._kernel_clock_state() in {None, 0, 1, 2, 3, 4, 5}


class Site(NamedTuple):
    """Server at a public URL, whose answers a test sets."""

    url: str
    answers: dict[str, tuple[int, Any]]
    dates: list[str]


@pytest.fixture
def site() -> Iterator[Site]:
    answers: dict[str, tuple[int, Any]] = {"/healthz": (200, HEALTH)}
    dates: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers.get(self.path, (404, "nothing"))
            self.send_response_only(status)
            self.send_header("Date", dates[-1] if dates else formatdate(usegmt=True))
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        @override
        def log_message(self, format: str, *args: object) -> None:
            """Write nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield Site(f"http://127.0.0.1:{server.server_port}", answers, dates)
    server.shutdown()
    server.server_close()


@pytest.mark.enable_socket
def test_a_public_url_is_followed_to_this_release(site: Site) -> None:
    found = by_check(service_checks.check_public_url(f"{site.url}/v1"))

    assert (found["public URL"].status, found["clock: answers"].status) == ("ok", "ok")


@pytest.mark.enable_socket
@pytest.mark.parametrize(
    ("answer", "status", "detail"),
    [
        ((200, "<html>"), "error", "not as this service does"),
        ((404, {}), "error", "not as this service does"),
        ((200, {**HEALTH, "version": "0.0.1"}), "warning", "is release 0.0.1"),
        (
            (503, {**HEALTH, "status": "failing", "checks": {"storage": "failing"}}),
            "error",
            "failing: storage",
        ),
    ],
)
def test_a_public_url_that_leads_elsewhere_is_found(
    site: Site, answer: tuple[int, Any], status: str, detail: str
) -> None:
    site.answers["/healthz"] = answer

    found = by_check(service_checks.check_public_url(f"{site.url}/v1"))["public URL"]
    assert found.status == status
    assert detail in found.detail
    assert is_helpful(found)


@pytest.mark.enable_socket
def test_a_public_url_that_nobody_serves_is_found() -> None:
    (found,) = service_checks.check_public_url(f"http://127.0.0.1:{free_port()}/v1")

    assert (found.check, found.status) == ("public URL", "error")
    assert "refused" in found.detail
    assert is_helpful(found)


@pytest.mark.enable_socket
@pytest.mark.parametrize(("offset_s", "status"), [(30, "warning"), (-600, "error")])
def test_a_clock_that_differs_from_the_answers_is_found(
    site: Site, offset_s: int, status: str
) -> None:
    site.dates.append(formatdate(time.time() + offset_s, usegmt=True))

    found = by_check(service_checks.check_public_url(f"{site.url}/v1"))["clock: answers"]
    assert found.status == status
    assert is_helpful(found)


@pytest.mark.enable_socket
def test_parts_that_readiness_misses_are_findings(site: Site) -> None:
    site.answers["/readyz"] = (200, {"status": "ready", "missing": []})
    assert [each.status for each in service_checks.check_readiness(site.url)] == ["ok"]

    missing = [{"part": "disk", "detail": "7 MB are free"}]
    site.answers["/readyz"] = (503, {"status": "not_ready", "missing": missing})
    (found,) = service_checks.check_readiness(site.url)
    assert (found.status, found.detail) == ("error", "disk: 7 MB are free")

    site.answers["/readyz"] = (404, {"message": "unknown"})
    (found,) = service_checks.check_readiness(site.url)
    assert found.status == "error"


def test_each_provider_has_an_address() -> None:
    def address(kind: str, **config: Any) -> tuple[str, int] | None:
        found = provider_of(kind, config, "emc_1", {"brevo": "http://brevo.test:8080/v3"})
        return None if found is None else found[:2]

    assert address("smtp", host="mail.test", port=2525) == ("mail.test", 2525)
    assert address("sftp", host="files.test", port=22) == ("files.test", 22)
    assert address("brevo") == ("brevo.test", 8080)
    assert address("postmark") == ("api.postmarkapp.com", 443)
    assert address("ses", region="eu-west-1") == ("email.eu-west-1.amazonaws.com", 443)
    assert address("s3", region="eu-west-1", bucket="b") == ("s3.eu-west-1.amazonaws.com", 443)
    assert address("s3", region="r", bucket="b", endpoint="http://minio.test:9000") == (
        "minio.test",
        9000,
    )
    assert address("azure_blob", account="a") == ("a.blob.core.windows.net", 443)
    assert address("gcs", bucket="b") == ("storage.googleapis.com", 443)
    assert address("of_a_later_release") is None
    mail = provider_at("smtps://user:secret@mail.test?from=a@b.test", "mail")
    assert mail == Provider("mail.test", 465, "mail")


@pytest.mark.enable_socket
def test_providers_that_cannot_be_reached_are_found_and_get_no_byte() -> None:
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        closed = free_port()
        findings = list(
            check_providers(
                [
                    Provider("127.0.0.1", port, "emc_1 of ws_1"),
                    Provider("127.0.0.1", port, "emc_2 of ws_1"),
                    Provider("127.0.0.1", closed, "dst_1 of ws_2"),
                ]
            )
        )
        connection, _ = server.accept()
        with connection:
            received.append(connection.recv(10))

    assert [each.status for each in findings] == ["ok", "error"]
    assert findings[0].detail == f"127.0.0.1:{port}, of emc_1 of ws_1 and 1 more"
    assert f"127.0.0.1:{closed}, of dst_1 of ws_2: " in findings[1].detail
    assert is_helpful(findings[1])
    assert received == [b""]


def test_a_check_that_fails_by_itself_hides_no_other() -> None:
    def fail() -> Iterator[Finding]:
        yield Finding("first", "ok", "well")
        raise OSError("broken")

    checks = [Check("fails", fail), Check("goes on", lambda: [Finding("second", "ok", "well")])]
    assert [each.check for each in run_checks(checks)] == ["first", "fails", "second"]


def test_the_command_tells_in_words_and_by_its_exit_code(
    tool: OperatorTool, monkeypatch: pytest.MonkeyPatch
) -> None:
    well = tool.run("doctor", "versions", "disk", "--json")
    monkeypatch.setenv("PLATEN_MIN_FREE_MB", "999999999")
    ill, table = tool.run("doctor", "disk", "--json"), tool.run("doctor", "disk")

    assert (well.exit_code, json.loads(well.stdout)["ok"]) == (0, True)
    assert ill.exit_code == table.exit_code == 1
    answer = json.loads(ill.stdout)
    assert answer["ok"] is False
    assert {row["check"] for row in answer["data"]} == {"disk: data", "disk: temporary files"}
    assert answer["data"][0].keys() == {"check", "status", "detail", "advice"}
    assert "make room there" in " ".join(table.stdout.split())


def test_without_a_service_its_checks_are_skipped(tool: OperatorTool) -> None:
    done = tool.run("doctor", "state", "providers", "public-url", "--json")

    rows = json.loads(done.stdout)["data"]
    assert done.exit_code == 0
    assert {row["status"] for row in rows} == {"skipped"}
    assert all(row["advice"] for row in rows)


def test_an_unknown_check_is_wrong_use(tool: OperatorTool) -> None:
    assert tool.run("doctor", "health").exit_code == 2


def test_the_page_names_each_check() -> None:
    page = (ROOT / "docs" / "watch.md").read_text(encoding="utf-8")
    from infra.operator.doctor.command import _NAMES  # noqa: PLC0415

    assert [name for name in _NAMES if f"| `{name}` |" not in page] == []
