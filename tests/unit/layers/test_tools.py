"""Tool detection: finds the build tools of the validators without running anything."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from infra.setup import __main__ as setup
from infra.setup import steps
from layers.validators import tools


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folders of a JDK 17 and a Maven, the only tools of this machine."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    for name in ("javac", "jlink", "mvn"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "release").write_text('IMPLEMENTOR="Some"\nJAVA_VERSION="17.0.15"\n')
    return tmp_path


def has_step() -> bool:
    return any(step.name == "validators" for step in steps.setup_steps("python", for_tests=False))


@pytest.mark.usefixtures("machine")
def test_validators_are_a_step_when_all_tools_are_present() -> None:
    assert tools.missing_tools() == []
    assert has_step()


@pytest.mark.parametrize(
    ("gone", "lacking"),
    [("javac", "JDK 17"), ("jlink", "JDK 17"), ("mvn", "Maven")],
)
def test_missing_tool_skips_the_step_with_a_message(
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gone: str,
    lacking: str,
) -> None:
    (machine / "bin" / gone).unlink()
    monkeypatch.setattr(setup, "INSTALL_DIR", machine)
    monkeypatch.setattr(setup, "setup_steps", lambda _interpreter, **_: ())

    setup.main(["--done"])

    output = capsys.readouterr().out
    assert tools.missing_tools() == [lacking]
    assert not has_step()
    assert f"missing: {lacking} -- install with: sudo apt-get install" in output
    assert "`unavailable`" in output


@pytest.mark.parametrize("release", ['JAVA_VERSION="11.0.2"\n', "", None])
def test_older_jdk_is_ignored(machine: Path, release: str | None) -> None:
    if release is None:
        (machine / "release").unlink()
    else:
        (machine / "release").write_text(release)

    assert tools.missing_tools() == ["JDK 17"]


@pytest.mark.parametrize(
    ("present", "lacking"),
    [((), ["Go 1.25"]), (("go",), [])],
)
def test_tests_name_the_tools_that_stores_need(
    machine: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    present: Sequence[str],
    lacking: Sequence[str],
) -> None:
    monkeypatch.setattr(setup, "setup_steps", lambda _interpreter, **_: ())
    for name in present:
        (machine / "bin" / name).touch(mode=0o755)

    setup.main(["--tests"])
    for_tests = capsys.readouterr().out
    setup.main([])
    for_running = capsys.readouterr().out

    missing = [line for line in for_tests.splitlines() if line.startswith("missing: ")]
    assert [line.removeprefix("missing: ").split(" -- ")[0] for line in missing] == lacking
    assert all("sudo apt-get install" in line for line in missing)
    assert "missing" not in for_running


def test_only_tests_install_localstack_and_servers_of_storage(machine: Path) -> None:
    (machine / "bin" / "go").touch(mode=0o755)

    def names(*, for_tests: bool) -> set[str]:
        return {step.name for step in steps.setup_steps("python", for_tests=for_tests)}

    assert names(for_tests=True) - names(for_tests=False) == {
        "azurite",
        "go_servers",
        "localstack",
        "plugins",
        "sshd",
    }
