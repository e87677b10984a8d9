"""Documentation: every `sh` block of README.md, CONTRIBUTING.md and docs/ runs as it is pasted."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from infra.local.running_stack import RunningStack
from infra.template import ROOT
from tests.builders.stack.operator_environment import operator_environment

pytestmark = pytest.mark.integration

PAGES: Final = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md"))
    if "```sh\n" in path.read_text(encoding="utf-8")
)
BLOCK: Final = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A `python3` without the detour of a version manager, which takes longer than the commands.
PATH: Final = f"{Path(sys.executable).parent}:{os.environ['PATH']}"


@pytest.fixture
def checkout(stack: RunningStack, tmp_path: Path) -> Path:
    """Give a folder that looks like a checkout whose stack is up."""
    for name in (".venv", "docs", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / ".platen").mkdir()
    shutil.copy(stack.folder / "run.json", tmp_path / ".platen" / "run.json")
    for folder in sorted((ROOT / ".platen").iterdir()):
        link = tmp_path / ".platen" / folder.name
        if not link.exists():
            link.symlink_to(folder)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_every_command_block_of_a_page_works_as_pasted(
    page: str, stack: RunningStack, checkout: Path
) -> None:
    blocks = BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))
    script = "\n".join(["set -eu -o pipefail", *blocks])
    before = set(checkout.iterdir())

    done = subprocess.run(
        ["bash", "-c", script],  # noqa: S607 -- the reader's shell
        cwd=checkout,
        env=os.environ | operator_environment(stack) | {"LC_ALL": "C.UTF-8", "PATH": PATH},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )

    assert done.returncode == 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    # A refusal is an answer as well, and curl calls it a success.
    assert [line for line in done.stdout.splitlines() if _is_problem(line)] == []
    # Git ignores `out/`, so no key and no file of a reader is ever committed.
    assert {path.name for path in set(checkout.iterdir()) - before} <= {"out"}


def test_the_readme_is_a_door() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()

    assert len(lines) <= 160


def _is_problem(line: str) -> bool:
    try:
        answer = json.loads(line)
    except json.JSONDecodeError:
        return False
    return isinstance(answer, dict) and "doc_url" in answer and "status" in answer
