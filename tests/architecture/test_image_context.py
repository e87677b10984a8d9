"""What the container image is built of: whatever the set-up reads."""

import subprocess
from typing import Final

from infra.template import ROOT

# What belongs to development alone.
LEFT_OUT: Final = {
    *(".chalice", ".ci", ".containerignore", ".dockerignore", ".gitignore"),
    *("requirements-dev.txt", "requirements.txt"),
}


def test_the_image_is_built_of_all_but_what_development_needs() -> None:
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines()
    taken = {line.removeprefix("!") for line in ignored if line.startswith("!")}
    listed = subprocess.run(
        ["git", "ls-files"],  # noqa: S607 -- whichever git there is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()

    assert {path.split("/")[0] for path in listed} - LEFT_OUT == taken


def test_docker_reads_the_same_list() -> None:
    assert (ROOT / ".dockerignore").readlink().name == ".containerignore"
