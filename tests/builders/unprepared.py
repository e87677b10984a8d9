"""Program that prepares a handler's module for threads, and prints the unprepared parts."""

import ast
import gc
import json
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from inspect import getsource
from types import ModuleType
from typing import Any, Final

import msgspec

from chalicelib.bootstrap.cold_start import prepare_for_threads

# These are loaded with what the functions use of them, but other functions run what they import
# late: those of the engine serve one invocation at a time.
_RUN_ELSEWHERE: Final = (
    "chalicelib.adapters.net.presigned",
    "chalicelib.engine.",
    "chalicelib.features.einvoices.validate_received",
)


def unprepared(module_name: str) -> Mapping[str, list[str]]:
    """Prepare a handler's module; return models, structs and late imports that are left."""
    module = import_module(module_name)
    # Clients load the rest of boto3 when a function warms itself.
    import_module("boto3.session").Session()
    prepare_for_threads(vars(module).get("LATE_MODULES", ()))
    modules = [each for name, each in sys.modules.items() if name.startswith("chalicelib.")]
    structs = {
        value
        for each in modules
        for value in vars(each).values()
        if isinstance(value, type) and issubclass(value, msgspec.Struct)
    }
    return {
        "models": sorted(model.__name__ for model in _models() if not model.__pydantic_complete__),
        "structs": sorted(str(struct) for struct in structs if not _is_described(struct)),
        "imports": sorted({late for each in modules for late in _late_imports(each)}),
    }


def _models() -> list[Any]:
    base = sys.modules.get("chalicelib.contract.base")
    roots = [] if base is None else [vars(base)["Model"], sys.modules["pydantic"].RootModel]
    return [model for root in roots for model in _subclasses(root)]


def _subclasses(model: Any) -> Iterator[Any]:
    for subclass in model.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def _is_described(struct: type[msgspec.Struct]) -> bool:
    # Structs without equality declare the parts of a use case: nothing reads them.
    if struct is msgspec.Struct or not struct.__struct_config__.eq:
        return True
    return any(type(each).__name__ == "StructInfo" for each in gc.get_referents(struct))


def _late_imports(module: ModuleType) -> Iterator[str]:
    """Yield the modules that functions of a module import, and that are not loaded."""
    if module.__name__.startswith(_RUN_ELSEWHERE):
        return
    for function in ast.walk(ast.parse(getsource(module) or "")):
        if isinstance(function, ast.FunctionDef):
            for node in ast.walk(function):
                names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
                names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
                yield from (name for name in names if name not in sys.modules)


if __name__ == "__main__":
    sys.stdout.write(json.dumps(unprepared(sys.argv[1])))
