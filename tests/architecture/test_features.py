"""Features give one name to each role: repository, subscribe, give_up, erase … (decision 26)."""

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Final

import pytest

from tests.architecture.test_structure import modules, text

# A condition on keys, of a query: `PK = :pk`, `LPK = :list AND …`.
KEY_CONDITION: Final = re.compile(r"\b[LD]?PK = :")

type Role = Callable[[ast.AST], bool]


def has_expressions(node: ast.AST) -> bool:
    """Tell whether a node is `Write(...)`, or the condition of a query: raw expressions."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and KEY_CONDITION.search(node.value) is not None
    return isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "Write"


def subscribes(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(
        ast.unparse(base).partition("[")[0] in {"Subscriber", "model.Subscriber"}
        for base in node.bases
    )


def class_named(*, start: str = "", end: str = "") -> Role:
    return lambda node: (
        isinstance(node, ast.ClassDef)
        and not node.name.startswith("_")
        and node.name.startswith(start)
        and node.name.endswith(end)
    )


# The role of a module by its name, and what stands nowhere else. `model` and `rows` have no mark:
# an import contract keeps the model below the repository (pyproject.toml).
ROLES: Final[Mapping[str, Role]] = {
    "repository": has_expressions,
    "subscribe": subscribes,
    "give_up": class_named(start="GiveUp"),
    "erase": class_named(start="Erase"),
    "present": class_named(start="Present"),
    "stores": class_named(end="Stores"),
}
UNMARKED: Final = {"model", "rows"}
# Second names of a role, alone or at the end of a module's name (`link_model`).
SYNONYMS: Final = {
    *("repositories", "models", "subscriber", "subscribers", "presenter", "eraser", "tables"),
    *("repository", "model", "subscribe"),
}


def features() -> Iterator[tuple[str, str]]:
    """Yield the modules of features: path, and name."""
    for name in modules():
        if name.startswith("chalicelib/features/") and not name.endswith("__init__.py"):
            yield name, PurePosixPath(name).stem


def has_role(source: str, role: str) -> bool:
    return any(ROLES[role](node) for node in ast.walk(ast.parse(source)))


@pytest.mark.parametrize("role", ROLES)
def test_a_role_stands_in_modules_of_its_name_only(role: str) -> None:
    elsewhere = [path for path, stem in features() if stem != role and has_role(text(path), role)]

    assert elsewhere == []


@pytest.mark.parametrize("role", [role for role in ROLES if role != "present"])
def test_a_module_named_after_a_role_has_it(role: str) -> None:
    named = [path for path, stem in features() if stem == role]

    assert named
    assert [path for path in named if not has_role(text(path), role)] == []


def test_a_role_has_no_second_name() -> None:
    named = [
        path
        for path, stem in features()
        if stem not in {*ROLES, *UNMARKED} and stem.split("_")[-1] in SYNONYMS
    ]

    assert named == []


@pytest.mark.parametrize(
    ("role", "source"),
    [
        ("repository", "write = Write(table, key=key, update='SET a = :a')"),
        ("repository", "tables.write(table.Write(name))"),
        ("repository", "tables.query(table, 'LPK = :list AND LSK > :a', values)"),
        ("subscribe", "class CountUsage(Subscriber): ..."),
        ("give_up", "class GiveUpEmail: ..."),
        ("erase", "class EraseUsage: ..."),
        ("present", "class PresentRender: ..."),
        ("stores", "class BatchStores(NamedTuple): ..."),
    ],
)
def test_the_marks_of_roles_bite(role: str, source: str) -> None:
    assert [each for each in ROLES if has_role(source, each)] == [role]
