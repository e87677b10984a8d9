"""Start: handlers initialize at import on Lambda, name missing settings, prepare for threads."""

import ast
import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from chalicelib.bootstrap import cold_start
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


def types_read(path: Path) -> Iterator[Any]:
    """Yield the types that msgspec reads in a module, without those around them."""
    module = importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    for call in ast.walk(ast.parse(path.read_text())):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in {
            "msgspec.convert",
            "msgspec.json.decode",
            "msgspec.msgpack.decode",
        }:
            (given,) = [
                *call.args[1:],
                *(each.value for each in call.keywords if each.arg == "type"),
            ]
            name = ast.unparse(given)
            # A class reads itself, or a function has imported a struct late.
            if name in vars(module) or not name.isidentifier():
                yield from leaves(eval(name, vars(module)))  # noqa: S307 -- the product's own code


def leaves(given: Any) -> Iterator[Any]:
    arguments = getattr(given, "__args__", ())
    for argument in arguments:
        yield from leaves(argument)
    if not arguments:
        yield given


def test_every_type_that_is_read_is_described_before_threads_come() -> None:
    described = {
        getattr(importlib.import_module(module), name)
        for module, names in cold_start._OTHER_TYPES.items()
        for name in names
    }
    plain = {str, int, type(None), Ellipsis}
    files = [path for path in (ROOT / "chalicelib").rglob("*.py") if "msgspec." in path.read_text()]

    missing = {
        given
        for path in files
        for given in types_read(path)
        if given not in described | plain
        and not (isinstance(given, type) and issubclass(given, msgspec.Struct))
    }

    assert missing == set()
