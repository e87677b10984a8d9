"""Installation of locked requirements for the functions, pruned of unused files (decision 8)."""

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

# The services that chalicelib/adapters/aws uses; the build creates a client of each. The
# descriptions of all other services are two thirds of botocore.
SERVICES: Final = ("dynamodb", "kms", "lambda", "logs", "s3", "secretsmanager", "sqs")
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
    "cffi/*",  # its compiler; cryptography needs only the module _cffi_backend
    "barcode/fonts/*",  # for bitmap barcodes; the service writes SVG
    "chalice/*",  # its command line; Chalice itself deploys no more than the two files below
    # Pillow's AVIF codec and text drawing: no function uses them.
    "PIL/_avif*",
    "PIL/_imagingft*",
    "pillow.libs/libavif*",
    "pillow.libs/libfreetype*",
    "pillow.libs/libharfbuzz*",
    # Parts of lxml that etree does not need: C and Cython sources, and other modules.
    "lxml/*.h",
    "lxml/*.px?",
    "lxml/*.pyx",
    "lxml/html/*",
    "lxml/includes/*",
    "lxml/isoschematron/*",
    "lxml/objectify*",
    # Type stubs, tests and documentation of the packages.
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
    """Return a folder with the packages of a lock file, cached by its content."""
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
    """Compile every module in place: Lambda cannot store byte code between cold starts.

    The byte code is unchecked and names no folder, so it depends on the sources alone.
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
        is_excluded = any(fnmatch.fnmatch(name, pattern) for pattern in _EXCLUDED)
        if is_excluded and not any(fnmatch.fnmatch(name, pattern) for pattern in _REQUIRED):
            path.unlink()


def _replace(folder: Path, new: Path) -> None:
    for old in folder.parent.glob(folder.name[:-_KEY_CHARS] + "?" * _KEY_CHARS):
        if old != folder:
            shutil.rmtree(old)
    try:
        new.rename(folder)
    except OSError:
        # Another process was first, and may use its folder already.
        if not folder.exists():
            raise


def _run(command: list[str]) -> None:
    environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
    environment.pop("VIRTUAL_ENV", None)
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise PackageError(f"{' '.join(command)}\n{ran.stdout}{ran.stderr}")
