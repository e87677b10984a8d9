"""Two builds that share nothing but their input have the same bytes."""

import hashlib
from pathlib import Path

import pytest

from infra.package.archives import CODE, LAYERS, write_archives
from infra.package.sam import write_template

pytestmark = pytest.mark.integration


def test_the_same_input_has_the_same_hash(tmp_path: Path) -> None:
    first, second = (hashes(tmp_path / name) for name in ("first", "another-place"))

    assert first == second
    assert first.keys() == {"sam.json", *CODE, *LAYERS}


def hashes(folder: Path) -> dict[str, str]:
    template = write_template(folder / "sam.json")
    made = write_archives(folder, template, cache=folder / "installed")
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (folder / "sam.json", *made)
    }
