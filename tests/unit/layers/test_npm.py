"""Building a layer from a pinned package."""

import base64
import hashlib
import io
import os
import tarfile
from pathlib import Path

import pytest

from layers.npm import Package, build_from_packages, tarball_files
from layers.running import LayerError


def tarball(content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("package/file.txt")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def package(packed: bytes) -> Package:
    digest = base64.b64encode(hashlib.sha512(packed).digest()).decode()
    return Package("@x/y", "1.0.0", f"sha512-{digest}")


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Fake `npm` that writes `served` to its working folder and counts its calls."""
    served = tmp_path / "served"
    commands = tmp_path / "bin"
    commands.mkdir()
    npm = commands / "npm"
    npm.write_text(f"#!/bin/sh\necho >> {tmp_path}/calls\ncp {served} y.tgz\n", encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{commands}:{os.environ['PATH']}")
    return served


def unpack(_package: Package, packed: Path, folder: Path) -> None:
    for name, content in tarball_files(packed):
        (folder / name).write_bytes(content)


def test_a_layer_is_built_once_and_again_when_its_recipe_changes(
    registry: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    packed = tarball(b"content")
    registry.write_bytes(packed)
    target = tmp_path / "layer"

    for recipe in ("1", "1", "2"):
        build_from_packages(target, [package(packed)], recipe=recipe, unpack=unpack)

    assert (target / "file.txt").read_bytes() == b"content"
    assert len((tmp_path / "calls").read_text(encoding="utf-8").splitlines()) == 2
    assert "1/1 @x/y@1.0.0" in capsys.readouterr().out
    assert [path.name for path in tmp_path.glob(".layer-*")] == []


def test_a_package_that_is_not_the_pinned_one_is_refused(registry: Path, tmp_path: Path) -> None:
    registry.write_bytes(tarball(b"other"))
    target = tmp_path / "layer"

    with pytest.raises(LayerError, match="not the pinned package"):
        build_from_packages(target, [package(tarball(b"content"))], recipe="1", unpack=unpack)

    assert not target.exists()
