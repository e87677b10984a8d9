"""Start: handlers initialize at import on Lambda, name missing settings, prepare for threads."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from chalicelib.bootstrap.cold_start import warm_up_on_lambda
from infra.template import ROOT

ON_LAMBDA = "AWS_LAMBDA_INITIALIZATION_TYPE"


def started(module: str, variables: dict[str, str]) -> str:
    """Import a module as Lambda does and return its last output line."""
    done = subprocess.run(
        [sys.executable, "-c", f"import {module}"],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "us-east-1", **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stderr.strip().rpartition("\n")[2]


def test_modules_initialize_at_import_on_lambda_only(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    monkeypatch.delenv(ON_LAMBDA, raising=False)
    warm_up_on_lambda(lambda: calls.append("elsewhere"))
    monkeypatch.setenv(ON_LAMBDA, "on-demand")
    warm_up_on_lambda(lambda: calls.append("on Lambda"))

    assert calls == ["on Lambda"]


@pytest.mark.parametrize(
    ("module", "variable"),
    [
        ("app", "PLATEN_MAIN_TABLE"),
        ("functions.render.handler", "PLATEN_MAIN_TABLE"),
        ("functions.engine.handler", "PLATEN_STACK"),
    ],
)
def test_a_missing_variable_fails_the_start_by_name(module: str, variable: str) -> None:
    output = started(module, {ON_LAMBDA: "on-demand"})

    assert output.startswith(f"chalicelib.settings.MissingSetting: {variable} is not set")
    assert started(module, {}) == ""


@pytest.mark.parametrize("layer", ["chromium", "fonts"])
def test_a_missing_layer_fails_the_start_by_name(layer: str, tmp_path: Path) -> None:
    (tmp_path / "chromium").mkdir()
    if layer == "fonts":
        (tmp_path / "chromium" / "chromium").touch()
    folders = {
        "PLATEN_STACK": "platen",
        "PLATEN_CHROMIUM_DIR": str(tmp_path / "chromium"),
        "PLATEN_FONTS_DIR": str(tmp_path / "fonts"),
    }

    output = started("functions.engine.handler", {ON_LAMBDA: "on-demand", **folders})

    assert "BrowserMissing" in output
    assert str(tmp_path / layer) in output
    assert f"layer `{layer}`" in output


@pytest.mark.parametrize(
    "module",
    [
        "app",
        "functions.render.handler",
        "functions.send_email.handler",
        "functions.upload_files.handler",
    ],
)
def test_nothing_is_left_to_the_threads_first_use(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.builders.unprepared", module],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"], "AWS_DEFAULT_REGION": "us-east-1"},
        capture_output=True,
        text=True,
        check=True,
    )

    assert json.loads(done.stdout) == {"models": [], "structs": [], "imports": []}
