"""Clients that generators make of the published document compile, and work against the service."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

import httpx
import pytest

from infra.local.running_stack import RunningStack
from tests.builders.waiting import PATIENCE_S
from tests.integration.generated_clients import generators
from tests.integration.generated_clients.generators import PROGRAMS, Command, run

pytestmark = pytest.mark.integration

# What each program gets of the service: a render, a template, uploads, a batch and a problem.
FOUND: Final = {
    "render": "succeeded",
    "version": 1,
    "letter": "succeeded",
    "merged_pages": 2,
    "items": ["succeeded"] * 3,
    "problem": "render_not_found",
}


def check(generate: Callable[[Path], Command], folder: Path, stack: RunningStack) -> None:
    """Generate a client, compile the program that uses it, and check what it gets."""
    shutil.copytree(PROGRAMS / generate.__name__, folder, dirs_exist_ok=True)
    description = httpx.get(f"{stack.base_url}/openapi.json", timeout=PATIENCE_S).raise_for_status()
    (folder / "openapi.json").write_bytes(description.content)
    target = folder / "document.pdf"

    program = generate(folder)
    found = run(
        program,
        folder,
        PLATEN_URL=stack.base_url.removesuffix("/v1"),
        PLATEN_KEY=stack.test_key,
        TARGET=str(target),
    )

    assert json.loads(found) == FOUND
    assert target.read_bytes().startswith(b"%PDF-")


# One test each: of the cases of one test, `make test` would run the first.


def test_openapi_python_client(tmp_path: Path, stack: RunningStack) -> None:
    check(generators.openapi_python_client, tmp_path, stack)


def test_openapi_typescript_with_openapi_fetch(tmp_path: Path, stack: RunningStack) -> None:
    check(generators.openapi_typescript, tmp_path, stack)


def test_hey_api_openapi_ts(tmp_path: Path, stack: RunningStack) -> None:
    check(generators.hey_api, tmp_path, stack)


@pytest.mark.breadth
def test_oapi_codegen(tmp_path: Path, stack: RunningStack) -> None:
    check(generators.oapi_codegen, tmp_path, stack)


def test_openapi_generator_java(tmp_path: Path, stack: RunningStack) -> None:
    check(generators.openapi_generator, tmp_path, stack)
