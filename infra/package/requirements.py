"""Installs locked requirements for the functions' runtime, without what no function needs."""

import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

from infra.package.errors import PackageError
from infra.setup.steps import INSTALL_DIR, UV

# The services that chalicelib/adapters/aws speaks to; the build makes a client of each. The
# descriptions of all the others are two thirds of botocore.
SERVICES: Final = ("dynamodb", "lambda", "logs", "s3", "secretsmanager", "sqs")
_PLATFORM: Final = ("--python-platform", "x86_64-manylinux_2_28", "--python-version", "3.13")
_EXCLUDED: Final = (
    "bin/*",  # scripts that name the Python of this machine
    "*.dist-info/RECORD",  # lists those scripts with their hashes
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "boto3/data/*",  # the `resource` interface, which nothing here uses
    "boto3/examples/*",
    "botocore/data/*/*",
    "aws_lambda_powertools/event_handler/openapi/swagger_ui/*",
    "barcode/fonts/*",  # for pictures of bars; here they are SVG
    "chalice/*",  # its command line; Chalice itself deploys no more than the two files below
    # What no function draws or reads: AVIF, and text in pictures.
    "PIL/_avif*",
    "PIL/_imagingft*",
    "pillow.libs/libavif*",
    "pillow.libs/libfreetype*",
    "pillow.libs/libharfbuzz*",
    # Of lxml, what etree does not need: sources for compilers, and modules of their own.
    "lxml/*.h",
    "lxml/*.px?",
    "lxml/*.pyx",
    "lxml/html/*",
    "lxml/includes/*",
    "lxml/isoschematron/*",
    "lxml/objectify*",
    # What their authors packed with it.
    "*.pyi",
    "*/tests/*",
    "docs/*",
    "jsonschema/benchmarks/*",
    "tests/*",
)
_REQUIRED: Final = (
    *(f"botocore/data/{service}/*" for service in SERVICES),
    "chalice/__init__.py",
    "chalice/app.py",
)
_KEY_CHARS: Final = 16
CACHE_DIR: Final = INSTALL_DIR / "packages"


def install_requirements(lock: Path, cache: Path = CACHE_DIR) -> Path:
    """Return a folder that holds a lock file's packages; made once for each state of the lock."""
    recipe = repr((_PLATFORM, _EXCLUDED, _REQUIRED, sys.version))
    key = hashlib.sha256(recipe.encode() + lock.read_bytes()).hexdigest()[:_KEY_CHARS]
    folder = cache / f"{lock.stem}-{key}"
    if not folder.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache) as scratch:
            new = Path(scratch) / "new"
            _install(lock, new)
            _prune(new)
            compile_bytecode(new)
            _replace(folder, new)
    return folder


def compile_bytecode(folder: Path) -> None:
    """Put byte code beside every module: Lambda cannot keep what it compiles at each start.

    The byte code is used unchecked and names no folder, so that it depends on the sources alone.
    """
    command = [sys.executable, "-I", "-S", "-m", "compileall", "-q", "-s", str(folder)]
    command += ["--invalidation-mode", "unchecked-hash", str(folder)]
    _run(command)


def _install(lock: Path, target: Path) -> None:
    command = [str(UV), "pip", "install", "--quiet", "--target", str(target), "--link-mode", "copy"]
    command += ["--no-deps", "--only-binary", ":all:", "--require-hashes", *_PLATFORM]
    _run([*command, "-r", str(lock)])


def _prune(folder: Path) -> None:
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        name = path.relative_to(folder).as_posix()
        unwanted = any(fnmatch.fnmatch(name, pattern) for pattern in _EXCLUDED)
        if unwanted and not any(fnmatch.fnmatch(name, pattern) for pattern in _REQUIRED):
            path.unlink()


def _replace(folder: Path, new: Path) -> None:
    for old in folder.parent.glob(folder.name[:-_KEY_CHARS] + "?" * _KEY_CHARS):
        shutil.rmtree(old)
    new.rename(folder)


def _run(command: list[str]) -> None:
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    environment.pop("VIRTUAL_ENV", None)
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise PackageError(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
