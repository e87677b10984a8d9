"""Starts every function from its own archive, with nothing else to import from."""

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from infra.package.archives import FUNCTION, archive_of
from infra.package.sam import REGION

# Packages import some of their parts only when a client is made: so every client is.
_SCRIPT: Final = """
import importlib, sys
folder, module, attribute = sys.argv[1:]
sys.path.insert(0, folder)
getattr(importlib.import_module(module), attribute)
from chalicelib.adapters.aws.session import Clients
clients = Clients()
for name in vars(Clients):
    if not name.startswith("_") and name != "function":
        getattr(clients, name)
clients.function(1)
"""
_ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": REGION,
    "AWS_ACCESS_KEY_ID": "unused",
    "AWS_SECRET_ACCESS_KEY": "unused",
}


def broken_starts(template: Mapping[str, Any], folder: Path) -> Iterator[str]:
    """Yield why a function's handler does not start from its archive."""
    handlers: dict[str, list[tuple[str, str]]] = {}
    for name, resource in template["Resources"].items():
        if resource["Type"] == FUNCTION:
            handler = resource["Properties"]["Handler"]
            handlers.setdefault(str(archive_of(resource)), []).append((name, handler))
    for archive, functions in handlers.items():
        with tempfile.TemporaryDirectory() as scratch:
            with zipfile.ZipFile(folder / archive) as opened:
                opened.extractall(scratch)
            for name, handler in functions:
                if said := _import(handler, scratch):
                    yield f"{name}: {handler} does not start from {archive}: {said}"


def _import(handler: str, folder: str) -> str:
    """Return what an interpreter with no packages of its own says; nothing when all is well."""
    module, _, attribute = handler.rpartition(".")
    command = [sys.executable, "-I", "-S", "-B", "-c", _SCRIPT, folder, module, attribute]
    ran = subprocess.run(command, env=_ENVIRONMENT, capture_output=True, text=True, check=False)
    return ran.stderr.strip().rpartition("\n")[2] if ran.returncode else ""
