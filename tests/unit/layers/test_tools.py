"""Tool detection: finds the build tools of the validators without running anything."""

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
    monkeypatch.setattr(setup, "setup_steps", lambda _interpreter: ())

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
