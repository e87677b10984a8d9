"""Figures of the code: sizes, folders, single-use modules, duplicates (`make figures`)."""

import ast
import re
import subprocess
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path, PurePosixPath
from statistics import quantiles
from typing import Final, Self, override

from rich.console import Console
from rich.table import Table

from infra.template import ROOT

MEASURED: Final = ("chalicelib", "functions")
FOLDERS: Final = ("chalicelib", "functions", "infra")
# A registry lists its plug-ins in a tuple and bootstrap builds the use cases, so that most of them
# have no other importer; a file each is the rule there (decision 26).
REGISTRIES: Final = (
    "chalicelib.api.routes",
    "chalicelib.bootstrap",
    "chalicelib.core.problems",
    "chalicelib.engine.einvoice.rules.check",
    "chalicelib.engine.finishing.finish_pdf",
    "chalicelib.engine.formats",
    "chalicelib.engine.templating.filters.registry",
)
# A test holds both; the other sizes are only aimed at (decision 26).
MAX_MODULE_LINES_P90: Final = 250
MAX_FOLDER_MODULES_P90: Final = 20
MAX_FUNCTION_LINES: Final = 40
MIN_DUPLICATE_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file: path from the root, dotted name, text and syntax tree."""

    path: str
    name: str
    text: str
    tree: ast.Module

    @property
    def lines(self) -> int:
        """Return the number of lines."""
        return self.text.count("\n")

    @property
    def folder(self) -> str:
        """Return the path of the folder."""
        return str(PurePosixPath(self.path).parent)

    @property
    def is_package(self) -> bool:
        """Tell whether the file is the `__init__.py` of a package."""
        return self.path.endswith("/__init__.py")


@dataclass(frozen=True, slots=True)
class Sizes:
    """Median, 90th percentile and maximum of the sizes of modules or folders."""

    median: int
    p90: int
    maximum: int

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Self:
        """Return the sizes of at least two modules or folders."""
        tenths = quantiles(sizes, n=10, method="inclusive")
        return cls(round(tenths[4]), round(tenths[8]), max(sizes))

    @override
    def __str__(self) -> str:
        return f"{self.median}, {self.p90}, {self.maximum}"


class Figures:
    """The figures of a checkout; each is computed when it is first read."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @cached_property
    def importing(self) -> list[Module]:
        """Return all modules that may import a measured one."""
        return [*_modules(self._root, *FOLDERS), *_modules(self._root, "app")]

    @cached_property
    def modules(self) -> list[Module]:
        """Return the measured modules, without the `__init__.py` of packages."""
        return [each for each in self.measured_modules if not each.is_package]

    @cached_property
    def measured_modules(self) -> list[Module]:
        """Return the measured modules, packages included."""
        folders = tuple(f"{folder}/" for folder in MEASURED)
        return [each for each in self.importing if each.path.startswith(folders)]

    @cached_property
    def importers(self) -> Mapping[str, set[str]]:
        """Return the names of the modules that import each measured module."""
        known = {module.name for module in self.modules}
        importers: defaultdict[str, set[str]] = defaultdict(set)
        for module in self.importing:
            for name in _imported_names(module.tree):
                if name in known:
                    importers[name].add(module.name)
        return importers

    @cached_property
    def single_use(self) -> list[str]:
        """Return the modules with one importer, except those that a registry lists."""
        return [name for name in self.single_importer if not self._is_listed(name)]

    @cached_property
    def single_importer(self) -> list[str]:
        """Return the modules with exactly one importer, registries included."""
        return sorted(each.name for each in self.modules if len(self.importers[each.name]) == 1)

    @cached_property
    def module_lines(self) -> Sizes:
        """Return the sizes of the measured modules in lines, packages included."""
        return Sizes.of([each.lines for each in self.measured_modules])

    @cached_property
    def folder_modules(self) -> Sizes:
        """Return the sizes of folders in modules, without the `__init__.py` of packages."""
        return Sizes.of(list(self.per_folder.values()))

    @cached_property
    def per_folder(self) -> Mapping[str, int]:
        """Return the number of modules in each folder, the largest first."""
        counted = Counter(each.folder for each in self.importing if not each.is_package)
        return dict(counted.most_common())

    @cached_property
    def any_count(self) -> int:
        """Return the number of uses of `Any` in the measured modules, imports included."""
        return sum(len(re.findall(r"\bAny\b", each.text)) for each in self.modules)

    @cached_property
    def long_functions(self) -> Mapping[str, int]:
        """Return the functions of more than 40 lines, docstrings apart, with their lengths."""
        return {
            f"{module.path}:{node.name}": length
            for module in self.modules
            for node in ast.walk(module.tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (length := _function_lines(node)) > MAX_FUNCTION_LINES
        }

    @cached_property
    def comments_per_100_lines(self) -> float:
        """Return the comment lines per 100 lines of code, docstrings apart."""
        comments = sum(_comment_lines(self._root / each.path) for each in self.modules)
        return 100 * comments / sum(each.lines for each in self.modules)

    @cached_property
    def class_names_twice(self) -> Mapping[str, list[str]]:
        """Return the public class names that several classes of chalicelib have.

        A contract model and the one internal class that mirrors it count as one.
        """
        places: defaultdict[str, list[str]] = defaultdict(list)
        for module in self.modules:
            for node in module.tree.body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(module.name)
        inside = {
            name: [each for each in found if not _is_contract_model(each)]
            for name, found in places.items()
        }
        return {
            name: places[name]
            for name, found in inside.items()
            if len(found) > 1 or len(places[name]) - len(found) > 1
        }

    @cached_property
    def duplicates(self) -> set[tuple[str, str]]:
        """Return the pairs of modules that share six or more lines of code in a row."""
        places: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        for module in self.modules:
            lines = _code_lines(module)
            for start in range(len(lines) - MIN_DUPLICATE_LINES + 1):
                places[tuple(lines[start : start + MIN_DUPLICATE_LINES])].add(module.path)
        return {pair for found in places.values() for pair in combinations(sorted(found), 2)}

    def _is_listed(self, name: str) -> bool:
        (importer,) = self.importers[name]
        # Bootstrap and the functions build what they import.
        return importer in REGISTRIES or importer.startswith(
            ("chalicelib.bootstrap.", "functions.")
        )


def main() -> None:
    """Print the figures as a table."""
    figures = Figures(ROOT)
    share = 100 * len(figures.single_use) / len(figures.modules)
    table = Table("figure", "value", "aim", box=None)
    for name, value, aim in (
        ("modules in chalicelib and functions", len(figures.modules), ""),
        ("lines", sum(module.lines for module in figures.modules), ""),
        (
            "lines of a module: median, p90, maximum",
            figures.module_lines,
            f"120, {MAX_MODULE_LINES_P90}, 450",
        ),
        (
            "modules of a folder: median, p90, maximum",
            figures.folder_modules,
            f"p90 {MAX_FOLDER_MODULES_P90}",
        ),
        ("single-use modules", f"{len(figures.single_use)} ({share:.1f} %)", ""),
        ("modules with one importer, registries included", len(figures.single_importer), ""),
        ("Any", figures.any_count, ""),
        (f"functions over {MAX_FUNCTION_LINES} lines", len(figures.long_functions), ""),
        ("comments per 100 lines", f"{figures.comments_per_100_lines:.1f}", "3 to 8"),
        ("class names that stand twice", len(figures.class_names_twice), "0"),
        ("duplicated pairs", len(figures.duplicates), ""),
    ):
        table.add_row(name, str(value), aim)
    Console().print(table)


def _is_contract_model(module: str) -> bool:
    """Tell whether a module has models of the contract; typed options mirror them."""
    is_contract = module.startswith("chalicelib.contract.")
    return is_contract and not module.startswith("chalicelib.contract.options.")


def _modules(root: Path, *names: str) -> list[Module]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", *(f"{name}*.py" for name in names)],  # noqa: S607 -- any git
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    return [_module(root, path) for path in listed if path and (root / path).exists()]


def _module(root: Path, path: str) -> Module:
    text = (root / path).read_text(encoding="utf-8")
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return Module(path, name, text, ast.parse(text))


def _imported_names(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _function_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = (function.end_lineno or 0) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    return lines - ((function.body[0].end_lineno or 0) - function.body[0].lineno + 1)


def _code_lines(module: Module) -> list[str]:
    """Return the lines with code, without docstrings, imports, comments and lone brackets."""
    skipped: set[int] = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Import | ast.ImportFrom) or (
            isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        ):
            skipped.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    stripped = (
        line.strip()
        for number, line in enumerate(module.text.splitlines(), 1)
        if number not in skipped
    )
    return [line for line in stripped if line.strip("()[]{},:") and not line.startswith("#")]


def _comment_lines(path: Path) -> int:
    with path.open("rb") as stream:
        return sum(token.type == tokenize.COMMENT for token in tokenize.tokenize(stream.readline))


if __name__ == "__main__":
    main()
