"""Reproducible packages: two builds of the same input have the same bytes."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from infra.package.archives import CODE_ARCHIVES, LAYER_ARCHIVES, write_archives
from infra.package.requirements import CACHE_DIR
from infra.package.sam import write_template
from infra.setup.steps import INSTALL_DIR, ROOT

pytestmark = pytest.mark.integration


@pytest.mark.breadth
def test_same_input_gives_the_same_hashes(tmp_path: Path) -> None:
    # `make package` has built the first, so that only what changed since is built again.
    first = hashes(ROOT / "build", CACHE_DIR)
    second = hashes(tmp_path / "another-place", tmp_path / "installed")

    assert first == second
    assert first.keys() == {"sam.json", *CODE_ARCHIVES, *LAYER_ARCHIVES}


def test_font_cache_is_reproducible(tmp_path: Path) -> None:
    first, second = (found_in(tmp_path / name) for name in ("first", "another-place"))

    assert first == second == files_of(INSTALL_DIR / "fonts" / "cache")


def found_in(folder: Path) -> dict[str, bytes]:
    """Build the font cache of a copy of the fonts with the browser; return its files."""
    shutil.copytree(INSTALL_DIR / "fonts", folder)
    command = [sys.executable, "-m", "layers.fonts.font_cache"]
    subprocess.run([*command, str(INSTALL_DIR / "chromium"), str(folder)], cwd=ROOT, check=True)
    return files_of(folder / "cache")


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def hashes(folder: Path, cache: Path) -> dict[str, str]:
    template = write_template(folder / "sam.json")
    made = write_archives(folder, template, cache=cache)
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (folder / "sam.json", *made)
    }
