"""Steps of the set-up: commands, inputs (pins) and results in folders of the project."""

import hashlib
import os
import shutil
import subprocess
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from layers.validators.tools import missing_tools

ROOT: Final = Path(__file__).resolve().parent.parent.parent
INSTALL_DIR: Final = ROOT / ".platen"
_STAMPS_DIR: Final = INSTALL_DIR / "stamps"
UV: Final = INSTALL_DIR / "tools" / "bin" / "uv"
PYTHON: Final = ROOT / ".venv" / "bin" / "python"
MINISTACK_DIR: Final = INSTALL_DIR / "ministack"
LOCALSTACK_DIR: Final = INSTALL_DIR / "localstack"
WEBHOOK_LIBRARY_DIR: Final = INSTALL_DIR / "webhook-library"
STORES_DIR: Final = INSTALL_DIR / "stores"
COMMANDS_DIR: Final = INSTALL_DIR / "commands"


class SetupError(Exception):
    """A step failed; the message is the output of its command."""


@dataclass(frozen=True, slots=True)
class SetupStep:
    """Commands that run again only when an input has changed or a result is missing."""

    name: str
    title: str
    commands: tuple[Sequence[str], ...]
    inputs: tuple[Path, ...]
    results: tuple[Path, ...]
    after: tuple[str, ...] = ()

    def is_done(self) -> bool:
        """Tell whether the results exist and were made from the current inputs."""
        if not all(result.exists() for result in self.results):
            return False
        try:
            return self._stamp.read_text(encoding="utf-8") == self._digest()
        except FileNotFoundError:
            return False

    def run(self) -> None:
        """Run the commands and record the inputs; raises SetupError."""
        for command in self.commands:
            _run(command)
        _STAMPS_DIR.mkdir(parents=True, exist_ok=True)
        self._stamp.write_text(self._digest(), encoding="utf-8")

    @property
    def _stamp(self) -> Path:
        return _STAMPS_DIR / self.name

    def _digest(self) -> str:
        digest = hashlib.sha256(repr((str(ROOT), self.commands)).encode())
        for path in self.inputs:
            digest.update(path.read_bytes())
        return digest.hexdigest()


def _run(command: Sequence[str]) -> None:
    environment = {
        **os.environ,
        "UV_PYTHON_DOWNLOADS": "never",
        "PYTHONPATH": str(ROOT),
    }
    environment.pop("VIRTUAL_ENV", None)
    ran = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode != 0:
        message = f"{' '.join(command)}\n{ran.stdout}{ran.stderr}".rstrip()
        raise SetupError(message)


def setup_steps(python: str, *, for_tests: bool) -> tuple[SetupStep, ...]:
    """Return all steps; `python` is a Python 3.13 that can make virtual environments.

    Only tests need LocalStack, and servers of storage, which take minutes to build.
    """
    localstack = _localstack(python)
    return (
        _tools(python),
        _product(python),
        _ministack(python),
        _chromium(),
        _fonts(),
        _dynoxide(),
        _webhook_library(),
        # Optional: without JDK and Maven only verdicts are unavailable (decision 23).
        *(() if missing_tools() else (_validators(),)),
        *((localstack, _plugins(localstack), _azurite(), _sshd(python)) if for_tests else ()),
        *((_go_servers(),) if for_tests and shutil.which("go") else ()),
    )


def _tools(python: str) -> SetupStep:
    lock = ROOT / "infra" / "setup" / "uv-requirements.txt"
    tools = INSTALL_DIR / "tools"
    pip = [str(tools / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    return SetupStep(
        "tools",
        "uv",
        (
            [python, "-m", "venv", "--clear", str(tools)],
            [*pip, "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(lock)],
        ),
        inputs=(lock,),
        results=(UV,),
    )


def _product(python: str) -> SetupStep:
    lock = ROOT / "requirements-dev.txt"
    uv = [str(UV), "pip"]
    target = ["--quiet", "--python", str(PYTHON)]
    return SetupStep(
        "product",
        "Python packages of the product",
        (
            [str(UV), "venv", "--quiet", "--allow-existing", "-p", python, str(ROOT / ".venv")],
            [*uv, "sync", *target, "--require-hashes", str(lock)],
            [*uv, "install", *target, "--no-deps", "--no-build-isolation", "-e", str(ROOT)],
        ),
        inputs=(lock, ROOT / "pyproject.toml"),
        results=(PYTHON,),
        after=("tools",),
    )


def _ministack(python: str) -> SetupStep:
    lock = ROOT / "infra" / "local" / "ministack-requirements.txt"
    own = MINISTACK_DIR / "bin" / "python"
    return SetupStep(
        "ministack",
        "bucket, queues, keys and secrets for one machine",
        (
            [str(UV), "venv", "--quiet", "--allow-existing", "-p", python, str(MINISTACK_DIR)],
            [str(UV), "pip", "sync", "--quiet", "-p", str(own), "--require-hashes", str(lock)],
        ),
        inputs=(lock,),
        results=(own,),
        after=("tools",),
    )


def _localstack(python: str) -> SetupStep:
    lock = ROOT / "infra" / "local" / "localstack-requirements.txt"
    certificate = ROOT / "infra" / "setup" / "certificate.py"
    own = str(LOCALSTACK_DIR / "bin" / "python")
    return SetupStep(
        "localstack",
        "LocalStack",
        (
            [str(UV), "venv", "--quiet", "--allow-existing", "-p", python, str(LOCALSTACK_DIR)],
            [str(UV), "pip", "sync", "--quiet", "-p", own, "--require-hashes", str(lock)],
            [own, str(certificate), str(LOCALSTACK_DIR / "certificate.pem")],
        ),
        inputs=(lock, certificate),
        results=(LOCALSTACK_DIR / "certificate.pem", LOCALSTACK_DIR / "bin" / "python"),
        after=("tools",),
    )


def _plugins(localstack: SetupStep) -> SetupStep:
    folder = ROOT / "infra" / "localstack"
    project = folder / "pyproject.toml"
    declared = tomllib.loads(project.read_text(encoding="utf-8"))
    sources = declared["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wheel = INSTALL_DIR / "wheels" / "platen_localstack-1-py3-none-any.whl"
    own = str(LOCALSTACK_DIR / "bin" / "python")
    build = ["--quiet", "--wheel", "--no-build-isolation", "-p", str(PYTHON)]
    install = ["--quiet", "--reinstall", "--no-deps", "--no-index", "-p", own]
    return SetupStep(
        "plugins",
        "plug-ins of LocalStack",
        (
            [str(UV), "build", *build, "--out-dir", str(wheel.parent), str(folder)],
            [str(UV), "pip", "install", *install, str(wheel)],
        ),
        # Installing LocalStack anew removes the plug-ins, so its inputs are theirs too.
        inputs=(*localstack.inputs, project, *(folder / name for name in sources)),
        results=(LOCALSTACK_DIR / "lib" / "python3.13" / "site-packages" / "infra",),
        after=("localstack", "product"),
    )


def _chromium() -> SetupStep:
    target = INSTALL_DIR / "chromium"
    return SetupStep(
        "chromium",
        "Chromium",
        (_build_command("chromium", target),),
        inputs=_layer_sources("chromium"),
        results=(target / ".pins",),
        after=("product",),
    )


def _fonts() -> SetupStep:
    target, chromium = INSTALL_DIR / "fonts", INSTALL_DIR / "chromium"
    build_cache = [str(PYTHON), "-m", "layers.fonts.font_cache", str(chromium), str(target)]
    return SetupStep(
        "fonts",
        "fonts",
        (_build_command("fonts", target), build_cache),
        # The font cache depends on the version of Chromium.
        inputs=(*_layer_sources("fonts"), *_layer_sources("chromium")),
        results=(target / ".pins", target / "cache"),
        after=("chromium", "product"),
    )


def _validators() -> SetupStep:
    target = INSTALL_DIR / "validators"
    folder = ROOT / "layers" / "validators"
    parts = (path for path in folder.rglob("*") if path.is_file())
    return SetupStep(
        "validators",
        "validators",
        (_build_command("validators", target),),
        inputs=tuple(sorted(path for path in parts if path.suffix != ".pyc")),
        results=(target / ".pins",),
        after=("product",),
    )


def _build_command(layer: str, target: Path) -> list[str]:
    return [str(PYTHON), "-m", f"layers.{layer}.build", str(target)]


def _layer_sources(layer: str) -> tuple[Path, ...]:
    return (ROOT / "layers" / "npm.py", *sorted((ROOT / "layers" / layer).glob("*.py")))


def _dynoxide() -> SetupStep:
    result = INSTALL_DIR / "bin" / "dynoxide"
    return _npm_step("dynoxide", "DynamoDB for one machine", result)


def _webhook_library() -> SetupStep:
    result = WEBHOOK_LIBRARY_DIR / "node_modules"
    return _npm_step("webhook_library", "library that verifies webhooks in tests", result)


def _azurite() -> SetupStep:
    folder = ROOT / "infra" / "setup" / "azurite"
    # npm reads no lock file through a link.
    target = (STORES_DIR / "azurite").resolve()
    locks = folder / "package.json", folder / "package-lock.json"
    install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(target)]
    return SetupStep(
        "azurite",
        "Azure's storage for tests",
        (["mkdir", "-p", str(target)], ["cp", *map(str, locks), str(target)], install),
        inputs=locks,
        results=(target / "node_modules" / ".bin" / "azurite-blob",),
    )


def _go_servers() -> SetupStep:
    module = ROOT / "infra" / "setup" / "go_servers.py"
    return SetupStep(
        "go_servers",
        "storage servers for tests, which takes minutes",
        ([str(PYTHON), "-m", "infra.setup.go_servers", str(STORES_DIR)],),
        inputs=(module,),
        results=(STORES_DIR / "fake-gcs-server", STORES_DIR / "versitygw"),
        after=("product",),
    )


def _sshd(python: str) -> SetupStep:
    folder = ROOT / "infra" / "setup"
    return SetupStep(
        "sshd",
        "OpenSSH's server for tests",
        ([python, "-m", "infra.setup.sshd", str(COMMANDS_DIR)],),
        inputs=(folder / "sshd.py", folder / "commands.py"),
        results=(COMMANDS_DIR / "sshd",),
    )


def _npm_step(name: str, title: str, result: Path) -> SetupStep:
    """Return the step of a module of this folder that fills the folder of its result."""
    return SetupStep(
        name,
        title,
        ([str(PYTHON), "-m", f"infra.setup.{name}", str(result.parent)],),
        inputs=(ROOT / "layers" / "npm.py", ROOT / "infra" / "setup" / f"{name}.py"),
        results=(result,),
        after=("product",),
    )
