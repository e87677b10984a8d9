"""The runner of the suite over small folders of tests that pass, fail and crash."""

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from infra.suite import parts
from infra.suite.parts import Part, all_parts
from infra.suite.results import PartResult
from infra.suite.run_parts import repeat_failed, run_part, run_parts
from infra.template import ROOT

pytestmark = pytest.mark.integration

PASSES = "def test_passes(): pass\n"
FAILS = "def test_fails(): assert False\n"
# It passes where its first run has left a file.
FAILS_ONCE = """
from pathlib import Path

def test_fails_once(tmp_path_factory):
    mark = Path(__file__).with_suffix('.mark')
    was_there = mark.exists()
    mark.touch()
    assert was_there
"""
CRASHES = "import os\n\ndef test_crashes(): os._exit(3)\n"
CANNOT_BE_READ = "import nothing_of_this_name\n"


@pytest.fixture(autouse=True)
def results_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "RESULTS_DIR", tmp_path / "results")
    # This test may itself run in a worker of pytest-xdist.
    for name in [name for name in os.environ if name.startswith("PYTEST_")]:
        monkeypatch.delenv(name)


def folder(path: Path, **modules: str) -> Part:
    path.mkdir()
    (path / "pytest.ini").write_text("[pytest]\nmarkers = breadth\n")
    for name, text in modules.items():
        (path / f"test_{name}.py").write_text(text)
    return Part(path.name, path=str(path))


def names(result: PartResult) -> list[str]:
    return [test.rpartition("/")[2] for test in result.failed]


def test_failed_tests_are_named_and_passed_ones_counted(tmp_path: Path) -> None:
    part = folder(tmp_path / "mixed", passes=PASSES, fails=FAILS, once=FAILS_ONCE)

    first = run_part(part)
    second = repeat_failed(part, first)

    assert (first.passed, names(first)) == (
        1,
        ["test_fails.py::test_fails", "test_once.py::test_fails_once"],
    )
    assert (second.passed, names(second)) == (2, ["test_fails.py::test_fails"])
    assert "test_passes" not in part.log.read_text()


def test_crash_of_a_test_fails_that_test_alone(tmp_path: Path) -> None:
    result = run_part(folder(tmp_path / "crash", passes=PASSES, crashes=CRASHES))

    assert (result.passed, names(result)) == (1, ["test_crashes.py::test_crashes"])


def test_module_that_cannot_be_read_fails(tmp_path: Path) -> None:
    part = folder(tmp_path / "broken", passes=PASSES, broken=CANNOT_BE_READ)

    first = run_part(part)

    assert names(first) == ["test_broken.py"]
    assert names(repeat_failed(part, first)) == ["test_broken.py"]


@pytest.mark.breadth
def test_folder_without_tests_fails(tmp_path: Path) -> None:
    result = run_part(folder(tmp_path / "empty"))

    assert (result.passed, names(result)) == (0, ["empty"])


def test_commands_end_with_the_first_that_fails(tmp_path: Path) -> None:
    mark = tmp_path / "mark"

    green = run_part(Part("green", (["true"], ["true"])))
    red = run_part(Part("red", (["false"], ["touch", str(mark)])))

    assert (green.passed, green.failed) == (1, ())
    assert (red.passed, red.failed) == (0, ("red",))
    assert not mark.exists()


def test_part_that_fits_does_not_wait_for_a_larger_one() -> None:
    listed = [
        Part("large", (["sleep", "2"],), workers=2),
        Part("larger", (["true"],), workers=2),
        Part("small", (["true"],)),
    ]

    first, *_ = (result.name for result in run_parts(listed, slots=3))

    assert first == "small"


def test_red_part_hides_no_other() -> None:
    listed = [
        Part("red", (["false"],), workers=9),
        Part("green", (["true"],)),
        Part("last", (["true"],)),
    ]

    results = {result.name: result.passed for result in run_parts(listed, slots=2)}

    assert results == {"red": 0, "green": 1, "last": 1}


def test_every_test_of_the_project_belongs_to_one_part() -> None:
    paths = [part.path for part in all_parts(breadth=True) if part.path]
    tests = [path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")]

    owners = {test: [path for path in paths if test.startswith(f"{path}/")] for test in tests}
    assert {test: found for test, found in owners.items() if len(found) != 1} == {}


def test_deployment_is_left_to_the_run_with_breadth() -> None:
    every = {part.name for part in all_parts(breadth=True)}

    assert every - {part.name for part in all_parts(breadth=False)} == {"deployed", "package"}


@pytest.mark.breadth
@pytest.mark.parametrize(
    "folder", ["tests/integration/net", "tests/functional/storage_destinations"]
)
def test_each_tenth_case_of_a_test_is_run_without_breadth(folder: str) -> None:
    every = Counter(_collected(folder, ""))

    sample = Counter(_collected(folder, "not breadth"))

    assert max(every.values()) > 10
    assert sample == {test: (cases + 9) // 10 for test, cases in every.items()}


def _collected(folder: str, marks: str) -> list[str]:
    """Return the tests of a folder, once for each of their cases that these marks leave."""
    command = [sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider"]
    found = subprocess.run(
        [*command, "-m", marks, folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return [line.partition("[")[0] for line in found.stdout.splitlines() if "::" in line]
