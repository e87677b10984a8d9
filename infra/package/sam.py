"""SAM template, written by Chalice with the infrastructure files merged in."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.package.errors import PackageError
from infra.template import ROOT, load_template

REGION: Final = "eu-central-1"
_STAGE: Final = "production"
_IGNORED_FILES: Final = shutil.ignore_patterns("__pycache__", "*.pyc", "deployed", "deployments")


def write_template(target: Path) -> dict[str, Any]:
    """Write the template to `target` and return it; raises PackageError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        project, merge, out = (Path(scratch) / name for name in ("src", "merge.json", "out"))
        _copy_project(project)
        merge.write_text(json.dumps(load_template(), indent=2), encoding="utf-8")
        _run_chalice(project, merge, out)
        template: dict[str, Any] = json.loads((out / "sam.json").read_text(encoding="utf-8"))
    target.write_text(compact_json(template), encoding="utf-8")
    return template


def compact_json(template: Mapping[str, Any]) -> str:
    """Return a template without white space: CloudFormation takes 1 MB."""
    return json.dumps(template, separators=(",", ":"))


def copy_sources(target: Path) -> None:
    """Copy the code of all functions as importable packages."""
    target.mkdir(parents=True)
    shutil.copy(ROOT / "app.py", target)
    for package in ("chalicelib", "functions"):
        shutil.copytree(ROOT / package, target / package, ignore=_IGNORED_FILES)


def _copy_project(target: Path) -> None:
    copy_sources(target)
    shutil.copytree(ROOT / ".chalice", target / ".chalice", ignore=_IGNORED_FILES)
    # Without requirements Chalice packs fast; its archive is not used (decision 8).
    (target / "requirements.txt").touch()


def _run_chalice(project: Path, merge: Path, out: Path) -> None:
    chalice = Path(sys.executable).with_name("chalice")
    command = [str(chalice), "--project-dir", str(project), "package", "--stage", _STAGE]
    command += ["--merge-template", str(merge), str(out)]
    environment = {**os.environ, "AWS_DEFAULT_REGION": REGION, "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise PackageError(ran.stdout + ran.stderr)


def lint_findings(template: Path) -> str:
    """Return the findings of cfn-lint about a template; empty when it is clean."""
    command = [
        str(Path(sys.executable).with_name("cfn-lint")),
        "--regions",
        REGION,
        "--template",
        str(template),
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    return (ran.stdout + ran.stderr).strip()
