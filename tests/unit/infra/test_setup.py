"""Set-up: names missing tools, and runs a step only when something changed."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.setup import steps as step_module
from infra.setup.steps import ROOT, SetupError, SetupStep, setup_steps


def run_script(folder: Path, *programs: str) -> "subprocess.CompletedProcess[str]":
    script = folder / "infra" / "setup" / "setup.sh"
    script.parent.mkdir(parents=True)
    shutil.copy(ROOT / "infra" / "setup" / "setup.sh", script)
    path = folder / "bin"
    path.mkdir()
    for name in ("dirname", "uname", "sh"):
        (path / name).symlink_to(shutil.which(name) or "")
    for program in programs:
        name, _, body = program.partition("=")
        (path / name).write_text(f"#!/bin/sh\n{body}\n")
        (path / name).chmod(0o755)
    return subprocess.run(
        [str(path / "sh"), str(script)],
        env={"PATH": str(path), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


GOOD = 'case "$1" in -c) exit 0;; *) echo "became $@";; esac'


def test_everything_missing_is_named_with_its_command(tmp_path: Path) -> None:
    ran = run_script(tmp_path)

    assert ran.returncode == 1
    missing = [line for line in ran.stderr.splitlines() if line.startswith("missing: ")]
    assert [line.split()[1] for line in missing] == ["make", "npm", "Python"]
    assert all("install it with: sudo apt-get install" in line for line in missing)


def test_python_that_fails_to_run_is_ignored(tmp_path: Path) -> None:
    ran = run_script(tmp_path, "make=", "npm=", "python3.13=exit 127")

    assert ran.returncode == 1
    assert "missing: Python 3.13" in ran.stderr


def test_python_without_venv_has_a_separate_message(tmp_path: Path) -> None:
    refuses = 'case "$2" in "") exit 0;; *) exit 1;; esac'
    ran = run_script(tmp_path, "make=", "npm=", f"python3.13={refuses}")

    assert ran.returncode == 1
    assert "python3.13-venv" in ran.stderr
    assert "the venv module" in ran.stderr


@pytest.mark.parametrize("name", ["python3.13", "python3"])
def test_working_python_is_used(tmp_path: Path, name: str) -> None:
    ran = run_script(tmp_path, "make=", "npm=", f"{name}={GOOD}")

    assert "missing" not in ran.stderr
    assert ran.stdout.strip() == "became -E -m infra.setup"


def test_version_managers_are_searched(tmp_path: Path) -> None:
    prefix = tmp_path / "versions" / "3.13.9" / "bin"
    prefix.mkdir(parents=True)
    (prefix / "python").write_text(f"#!/bin/sh\n{GOOD}\n")
    (prefix / "python").chmod(0o755)
    pyenv = f'case "$1" in versions) echo 3.13.9;; prefix) echo {prefix.parent};; esac'
    tools = [f'{name}=exec /usr/bin/{name} "$@"' for name in ("grep", "sort")]

    ran = run_script(tmp_path, "make=", "npm=", f"pyenv={pyenv}", *tools)

    assert "missing" not in ran.stderr
    assert ran.stdout.strip() == "became -E -m infra.setup"


@pytest.fixture
def step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetupStep:
    monkeypatch.setattr(step_module, "_STAMPS_DIR", tmp_path / "stamps")
    (tmp_path / "lock").write_text("1")
    command = [sys.executable, "-c", f"open({str(tmp_path / 'made')!r}, 'w').close()"]
    return SetupStep("one", "One", (command,), (tmp_path / "lock",), (tmp_path / "made",))


def test_step_is_repeated_when_its_input_changes_or_its_result_is_missing(
    step: SetupStep, tmp_path: Path
) -> None:
    before = step.is_done()
    step.run()
    after = step.is_done()
    (tmp_path / "lock").write_text("2")
    changed = step.is_done()
    step.run()
    (tmp_path / "made").unlink()
    gone = step.is_done()

    assert (before, after, changed, gone) == (False, True, False, False)


def test_failing_command_is_reported_with_its_output(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "import sys; sys.exit('no network')"]
    failing = SetupStep("two", "Two", (command,), (), (tmp_path / "x",))

    with pytest.raises(SetupError, match="no network"):
        failing.run()

    assert not failing.is_done()


def test_only_tests_need_localstack_and_servers_of_storage() -> None:
    plain, tested = (
        {step.name for step in setup_steps("python3.13", for_tests=for_tests)}
        for for_tests in (False, True)
    )

    assert plain < tested
    assert {"localstack", "plugins", "azurite"} <= tested - plain


def test_the_scripts_are_plain_sh() -> None:
    for script in (ROOT / "infra" / "setup").glob("*.sh"):
        subprocess.run(["/bin/sh", "-n", str(script)], check=True)
