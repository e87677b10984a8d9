"""Stages a clean copy of the sources and lets Chalice package it with our template merged in."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from infra.template import ROOT, load

REGION: Final = "eu-central-1"
STAGE: Final = "production"
_IGNORED: Final = shutil.ignore_patterns("__pycache__", "*.pyc")


@dataclass(frozen=True, slots=True)
class Package:
    """The files of one build."""

    sam: Path
    archive: Path
    template: Mapping[str, Any]


class PackageError(Exception):
    """Chalice could not package; the message is what it wrote."""


def build(folder: Path, *, dependencies: bool = True) -> Package:
    """Build into `folder`; without `dependencies` only the template is worth anything."""
    sources, out = folder / "src", folder / "sam"
    shutil.rmtree(sources, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    stage(sources, dependencies=dependencies)
    merge = folder / "merge.json"
    merge.write_text(json.dumps(load(), indent=2), encoding="utf-8")
    _chalice(sources, merge, out)
    sam = out / "sam.json"
    template = json.loads(sam.read_text(encoding="utf-8"))
    return Package(sam, out / "deployment.zip", template)


def stage(target: Path, *, dependencies: bool = True) -> None:
    """Copy what Chalice packs: app.py, chalicelib, and functions/ as vendor/functions."""
    target.mkdir(parents=True)
    shutil.copy(ROOT / "app.py", target)
    (target / "requirements.txt").write_text(
        (ROOT / "requirements.txt").read_text(encoding="utf-8") if dependencies else "",
        encoding="utf-8",
    )
    shutil.copytree(ROOT / ".chalice", target / ".chalice", ignore=_only_config)
    shutil.copytree(ROOT / "chalicelib", target / "chalicelib", ignore=_IGNORED)
    # Chalice packs vendor/ at the top of the archive, so the import name stays `functions`.
    shutil.copytree(ROOT / "functions", target / "vendor" / "functions", ignore=_IGNORED)


def _only_config(_folder: str, names: list[str]) -> list[str]:
    return [name for name in names if name != "config.json"]


def _chalice(sources: Path, merge: Path, out: Path) -> None:
    command = [
        str(Path(sys.executable).with_name("chalice")),
        "--project-dir",
        str(sources),
        "package",
    ]
    command += ["--stage", STAGE, "--merge-template", str(merge), str(out)]
    environment = {
        **os.environ,
        "AWS_DEFAULT_REGION": REGION,
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise PackageError(ran.stdout + ran.stderr)
