"""The trimmed packages have everything that rendering and sealing need."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from infra.package.archives import CODE_ARCHIVES
from infra.package.requirements import install_requirements
from infra.template import ROOT

pytestmark = pytest.mark.integration

# Tests of the code that uses Pillow, pikepdf, lxml, Babel, segno, python-barcode, jsonschema.
TESTS: Final = (
    "tests/integration/engine/output/test_pictures.py",
    "tests/unit/engine/einvoice/test_cii.py",
    "tests/unit/engine/finishing",
    "tests/unit/engine/formats",
    "tests/unit/engine/pdf/drawings",
    "tests/unit/engine/pdf/forms",
    "tests/unit/engine/pdf/tagging",
    "tests/unit/engine/pdf/text",
    "tests/unit/engine/test_test_mark.py",
    "tests/unit/engine/schemas",
    "tests/unit/engine/templating/filters/test_codes.py",
)


def test_engine_works_with_the_deployed_packages() -> None:
    folder = install_requirements(CODE_ARCHIVES["engine.zip"])
    options = ["-q", "-p", "no:cacheprovider", "--override-ini=addopts="]

    ran = run(folder, "-m", "pytest", *options, *TESTS)

    assert ran.returncode == 0, ran.stdout
    imported = run(folder, "-c", "import lxml.etree, PIL; print(lxml.etree.__file__, PIL.__file__)")
    assert all(file.startswith(str(folder)) for file in imported.stdout.split()), imported


def test_pdf_tools_work_with_the_deployed_packages() -> None:
    folder = install_requirements(CODE_ARCHIVES["pdf_tools.zip"])
    options = ["-q", "-p", "no:cacheprovider", "-m", "integration", "-k", "runs_without_files"]

    ran = run(
        folder, "-m", "pytest", *options, "tests/integration/pdf_tools/test_confined_tools.py"
    )

    assert ran.returncode == 0, ran.stdout
    names = "pikepdf", "pypdfium2", "pypdf", "PIL"
    imported = run(
        folder, "-c", f"import {','.join(names)}; print({'.__file__, '.join(names)}.__file__)"
    )
    assert imported.stdout.count(str(folder)) == len(names), imported


@pytest.mark.parametrize("archive", ["api.zip", "small.zip", "storage.zip"])
def test_sealing_works_with_the_deployed_packages(archive: str) -> None:
    folder = install_requirements(CODE_ARCHIVES[archive])
    options = ["-q", "-p", "no:cacheprovider", "--override-ini=addopts="]

    ran = run(folder, "-m", "pytest", *options, "tests/unit/adapters/test_sealing.py")

    assert ran.returncode == 0, ran.stdout
    imported = run(folder, "-c", "import _cffi_backend as c, cryptography as x; print(c, x)")
    assert imported.stdout.count(str(folder)) == 2, imported


def test_sftp_works_with_the_deployed_packages() -> None:
    folder = install_requirements(CODE_ARCHIVES["storage.zip"])
    options = ["-q", "-p", "no:cacheprovider", "-m", "integration", "-k", "password"]

    ran = run(folder, "-m", "pytest", *options, "tests/integration/storage/test_sftp.py")

    assert ran.returncode == 0, ran.stdout
    imported = run(folder, "-c", "import asyncssh; print(asyncssh.__file__)")
    assert imported.stdout.startswith(str(folder)), imported


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
