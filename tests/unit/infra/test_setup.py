"""Set-up: names missing tools, and runs a step only when something changed."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from infra.setup import __main__ as setup
from infra.setup import steps as step_module
from infra.setup.steps import ROOT, SetupError, SetupStep

# Commands that every machine has.
BASE = ("sh", "dirname", "uname", "cat", "cp", "rm", "mkdir", "grep", "sort", "chmod", "getconf")
HAS_PIP = "import pip"
IS_3_13 = "import ssl"


def run_script(folder: Path, *absent: str, **programs: str) -> "subprocess.CompletedProcess[str]":
    """Run the script on a machine that has these programs besides the usual ones."""
    setup = folder / "infra" / "setup"
    shutil.copytree(ROOT / "infra" / "setup" / "requirements", setup / "requirements")
    shutil.copy(ROOT / "infra" / "setup" / "setup.sh", setup)
    path = folder / "bin"
    path.mkdir()
    for name in set(BASE) - set(absent):
        (path / name).symlink_to(shutil.which(name) or "")
    for name, body in programs.items():
        write_program(path / name.replace("_", "."), body)
    return subprocess.run(
        [str(path / "sh"), str(setup / "setup.sh")],
        env={"PATH": str(path), "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def write_program(path: Path, body: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)


def python_that(*passes: str) -> str:
    """Return a Python that passes these checks; its pip installs the program `uv` of the machine.

    The environments of that one have the program `client` as Python.
    """
    return f"""
case "$1 $2" in
    {" | ".join(f'"-c {check}"*' for check in passes)}) exit 0;;
    -c*) exit 1;;
    "-m pip") mkdir -p .platen/tools/bin; cp bin/uv .platen/tools/bin;;
esac
echo "ran $@"
"""


UV = 'case "$1" in venv) mkdir -p .platen/maven/bin; cp bin/client .platen/maven/bin/python;; esac'


def test_system_with_another_c_library_is_refused(tmp_path: Path) -> None:
    ran = run_script(tmp_path, "getconf", python3=python_that(HAS_PIP, IS_3_13))

    assert ran.returncode == 1
    assert "needs glibc" in ran.stderr


def test_without_any_python_the_command_that_installs_it_is_named(tmp_path: Path) -> None:
    ran = run_script(tmp_path, python3="exit 127", python3_13="exit 127")

    assert ran.returncode == 1
    assert ran.stderr.startswith("missing: Python 3.9 or newer with pip -- install it with: ")


def test_uv_that_cannot_be_installed_is_an_error(tmp_path: Path) -> None:
    refuses = 'case "$1" in -c) exit 0;; *) exit 1;; esac'
    ran = run_script(tmp_path, python3=refuses)

    assert ran.returncode == 1
    assert "pip could not install uv" in ran.stderr


@pytest.mark.parametrize("name", ["python3_13", "python3"])
def test_working_python_is_used(tmp_path: Path, name: str) -> None:
    ran = run_script(tmp_path, uv=UV, **{name: python_that(HAS_PIP, IS_3_13)})

    installs, starts = ran.stdout.splitlines()[1:]
    assert "--require-hashes --target .platen/tools" in installs
    assert starts == "ran -E -m infra.setup"
    assert (tmp_path / ".platen" / "tools" / "uv.txt").exists()


def test_python_may_lack_pip_where_another_has_it(tmp_path: Path) -> None:
    older, newer = python_that(HAS_PIP), python_that(IS_3_13)

    ran = run_script(tmp_path, python3=older, python3_13=newer, uv=UV)

    assert ran.stderr == ""
    assert ran.stdout.splitlines()[-1] == "ran -E -m infra.setup"


def test_version_managers_are_searched(tmp_path: Path) -> None:
    prefix = tmp_path / "versions" / "3.13.9"
    write_program(prefix / "bin" / "python", python_that(IS_3_13))
    pyenv = f'case "$1" in versions) echo 3.13.9;; prefix) echo {prefix};; esac'

    ran = run_script(tmp_path, python3=python_that(HAS_PIP), pyenv=pyenv, uv=UV)

    assert ran.stdout.splitlines()[-1] == "ran -E -m infra.setup"


def test_missing_python_is_installed_by_an_older_one(tmp_path: Path) -> None:
    client = "mkdir -p .platen/python/bin; cp bin/made .platen/python/bin/python3.13; echo $@"
    older = python_that(HAS_PIP)

    ran = run_script(tmp_path, python3=older, uv=UV, client=client, made='echo "became $@"')

    assert ran.stdout.splitlines()[-3:] == [
        "installing Python 3.13",
        "-E -m infra.setup.cpython",
        "became -E -m infra.setup",
    ]
    assert not (tmp_path / ".platen" / "maven").exists()


def test_python_that_cannot_be_had_is_named_with_its_command(tmp_path: Path) -> None:
    ran = run_script(tmp_path, python3=python_that(HAS_PIP), uv=UV, client="exit 1")

    assert ran.returncode == 1
    assert "missing: Python 3.13 -- install it with" in ran.stderr


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


def test_the_scripts_are_plain_sh() -> None:
    for script in (ROOT / "infra" / "setup").glob("*.sh"):
        subprocess.run(["/bin/sh", "-n", str(script)], check=True)


@pytest.mark.parametrize(("status", "ended"), [(0, 0), (1, 1)])
def test_machine_without_user_namespaces_is_told_what_to_allow(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    step: SetupStep,
    *,
    status: int,
    ended: int,
) -> None:
    # An ordinary user runs it, so its folders have to be open.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        write_program(Path(folder, "unshare"), f"exit {status}")
        monkeypatch.setenv("PATH", folder)
        monkeypatch.setattr(setup, "setup_steps", lambda _interpreter, **_: (step,))

        assert setup.main([]) == ended

    assert ("missing: user namespaces" in capsys.readouterr().err) == bool(ended)
    assert (tmp_path / "made").exists() != bool(ended)
