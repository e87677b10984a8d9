"""Lambda folder layout under LocalStack: the same folders in other locations."""

import stat
from pathlib import Path

import pytest

from infra.localstack.environment import LambdaLayout
from infra.template import ROOT


@pytest.fixture
def layout(tmp_path: Path) -> LambdaLayout:
    return LambdaLayout(tmp_path / "environment", tmp_path / "code")


def layer(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_layers_are_laid_over_each_other(layout: LambdaLayout, tmp_path: Path) -> None:
    first = layer(tmp_path / "1", fonts__conf="one", fonts__ttf__a="a")
    second = layer(tmp_path / "2", fonts__conf="two", chromium__b="b")

    layout.make([first, second])

    found = {path.relative_to(layout.opt).as_posix(): path for path in layout.opt.rglob("*")}
    texts = {name: path.read_text() for name, path in found.items() if path.is_file()}
    assert texts == {"fonts/conf": "two", "fonts/ttf/a": "a", "chromium/b": "b"}
    assert (first / "fonts" / "conf").read_text() == "one"


def test_tmp_is_renewed_empty_and_writable_by_all(layout: LambdaLayout) -> None:
    layout.make([])
    (layout.tmp / "left").mkdir()
    (layout.tmp / "left" / "by-another").touch()

    layout.renew_tmp()

    assert list(layout.tmp.iterdir()) == []
    assert stat.S_IMODE(layout.tmp.stat().st_mode) == 0o1777


def test_runtime_contains_only_serving_packages(layout: LambdaLayout) -> None:
    layout.make([])

    held = {path.relative_to(layout.runtime).as_posix() for path in layout.runtime.rglob("*.*")}
    assert held == {
        "infra/local/die_with_parent.py",
        "infra/local/runner/frames.py",
        "infra/local/runner/worker.py",
    }


def test_scratch_folder_is_writable_by_everybody(layout: LambdaLayout) -> None:
    layout.make([])

    assert stat.S_IMODE(layout.tmp.stat().st_mode) == 0o1777


def test_layer_folders_are_moved_and_defaults_are_set(layout: LambdaLayout) -> None:
    variables = layout.variables({"PLATEN_FONTS_DIR": "/opt/other", "X": "/optional", "N": 512})

    assert variables["PLATEN_CHROMIUM_DIR"] == f"{layout.opt}/chromium"
    assert variables["PLATEN_FONTS_DIR"] == f"{layout.opt}/other"
    assert (variables["X"], variables["N"]) == ("/optional", "512")


def test_environment_of_this_process_is_not_inherited(
    layout: LambdaLayout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLATEN_SECRET", "x")

    variables = layout.variables({"PYTHONPATH": str(ROOT)})

    assert "PLATEN_SECRET" not in variables
    assert variables["PYTHONPATH"].split(":")[0] == str(layout.code)
    assert str(ROOT) not in variables["PYTHONPATH"].split(":")


def test_removal_keeps_the_code(layout: LambdaLayout) -> None:
    layout.code.mkdir()
    layout.make([])

    layout.remove()

    assert not layout.root.exists()
    assert layout.code.exists()
