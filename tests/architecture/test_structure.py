"""The shape of the tree: docstrings, imports, what no file may name, and the README."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from infra.template import ROOT

BINARY: Final = (".ttf", ".otf", ".woff2", ".png", ".webp", ".pdf", ".icc", ".tar.xz")
# What each import must leave unloaded: cold starts are paid for by the module.
UNLOADED: Final = {
    "app": "lxml pikepdf PIL jinja2 babel jsonschema boto3 functions infra",
    # The browser waits for these: not even dataclasses, which brings the compiler's modules.
    "functions.engine.handler": "dataclasses inspect boto3 pydantic chalice app pikepdf infra",
    # And the first page for these.
    "functions.engine.serve, chalicelib.engine.pipeline": (
        "lxml pikepdf PIL jinja2 babel jsonschema boto3 pydantic chalice app infra"
    ),
    "functions.render.handler": "lxml pikepdf PIL jinja2 babel jsonschema pydantic chalice infra",
    "chalicelib.adapters.aws.sealing": "cryptography boto3 botocore",
    "infra.operator.cli": "boto3 pydantic chalice app pikepdf jinja2 functions chalicelib",
}
# `golang.org` alone begins the names of Go modules, as a go.mod has them.
REGISTRIES: Final = re.compile(
    r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|(?:proxy|sum)\.golang\.org|crates\.io"
    r"|docker\.(?:io|com)|ghcr\.io|quay\.io|ecr\.aws|conda\.anaconda|--(?:extra-)?index-url"
)
MACHINE: Final = re.compile(r"(?<![\w.}>])/(?:home|Users|root|work|mnt)/\w")


@cache
def tracked() -> list[str]:
    """Return every tracked file that is there."""
    done = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 -- whichever git there is
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return [name for name in done.stdout.split("\0") if name and (ROOT / name).exists()]


def modules() -> list[str]:
    return [name for name in tracked() if name.endswith(".py")]


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def docstring(name: str) -> str | None:
    return ast.get_docstring(ast.parse(text(name)))


def imports(name: str) -> Iterator[str]:
    """Yield every module that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(text(name))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_every_module_says_what_it_is_for() -> None:
    silent = [name for name in modules() if text(name) and not docstring(name)]

    assert silent == []


@pytest.mark.parametrize(("module", "unloaded"), UNLOADED.items())
def test_import_leaves_what_is_heavy_unloaded(module: str, unloaded: str) -> None:
    assert loaded_after(module) & set(unloaded.split()) == set()


def test_every_function_is_imported_without_the_api_function() -> None:
    handlers = [name for name in modules() if re.fullmatch(r"functions/\w+/handler\.py", name)]
    folders = {name.split("/")[1] for name in modules() if name.count("/") == 2} & {
        name.split("/")[1] for name in tracked() if name.startswith("functions/")
    }

    assert {name.split("/")[1] for name in handlers} == folders - {"__init__.py"}
    for name in handlers:
        module = name.removesuffix(".py").replace("/", ".")
        assert loaded_after(module, without="app") >= {"functions", "chalicelib"}


def test_nobody_shares_code_through_functions() -> None:
    sharing = [
        (name, module)
        for name in modules()
        if not name.startswith("tests/")
        for module in imports(name)
        if module.split(".")[0] == "functions"
        and not name.startswith("/".join(module.split(".")[:2]) + "/")
    ]

    assert sharing == []


def test_no_file_names_a_registry_or_a_folder_of_one_machine() -> None:
    texts = {name: text(name) for name in tracked() if not name.endswith(BINARY)}

    for pattern in (REGISTRIES, MACHINE):
        found = {name: pattern.findall(content) for name, content in texts.items()}
        assert {name: hits for name, hits in found.items() if hits} == {}


def test_the_tree_in_the_readme_exists() -> None:
    named = readme_tree()

    wrong = [path for path in named if not (ROOT / path).exists()]
    assert wrong == []
    assert [path for path in named if (ROOT / path).is_dir() != path.endswith("/")] == []


def test_the_tree_in_the_readme_names_every_folder() -> None:
    folders = {f"{name.partition('/')[0]}/" for name in tracked() if "/" in name}
    visible = {folder for folder in folders if not folder.startswith(".")}
    inside = {
        child
        for parent in ("chalicelib", "functions", "infra", "layers")
        for child in children(parent)
        if child.endswith("/") or parent == "chalicelib"
    }

    assert sorted((visible | inside) - set(readme_tree())) == []


def loaded_after(module: str, without: str | None = None) -> set[str]:
    """Return the top-level names that a fresh interpreter has loaded after an import."""
    block = f"sys.modules[{without!r}] = None; " if without else ""
    script = f"import sys; {block}import {module}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {name.partition(".")[0] for name in done.stdout.split()} - {without}


def children(parent: str) -> set[str]:
    """Return the tracked files and, with a slash, folders right inside a folder."""
    paths = [Path(name) for name in tracked() if name.startswith(f"{parent}/")]
    found = {f"{parent}/{path.parts[1]}{'/' if len(path.parts) > 2 else ''}" for path in paths}
    return {child for child in found if not child.endswith("__init__.py")}


def readme_tree() -> list[str]:
    """Return the paths of the block below the heading `The tree`, folders with a slash."""
    block = re.search(
        r"^## The tree\n+```\w*\n(.*?)^```$", text("README.md"), re.DOTALL | re.MULTILINE
    )
    assert block is not None, "README.md has no fenced block right below `## The tree`"
    paths: list[str] = []
    parents: list[str] = []
    for line in block[1].splitlines():
        found = re.fullmatch(r"((?:  )*)(\S+)  +\S.*", line)
        assert found is not None, f"not `name/  what it is`, indented by twos: {line!r}"
        depth = len(found[1]) // 2
        assert depth <= len(parents), f"indented without a folder above it: {line!r}"
        parents[depth:] = [found[2]]
        paths.append("".join(parents))
    return paths
