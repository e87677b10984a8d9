"""What gets installed, from which pins, into which folder of the project."""

import tomllib
from pathlib import Path
from typing import Final

from infra.setup.step import INSTALLED, ROOT, Step
from layers.validators.tools import absent

UV: Final = INSTALLED / "tools" / "bin" / "uv"
PYTHON: Final = ROOT / ".venv" / "bin" / "python"
LOCALSTACK: Final = INSTALLED / "localstack"


def steps(python: str) -> tuple[Step, ...]:
    """Return every step; `python` is a Python 3.13 that can make virtual environments."""
    localstack = _localstack(python)
    return (
        _tools(python),
        _product(python),
        localstack,
        _plugins(localstack),
        _chromium(),
        _fonts(),
        _dynoxide(),
        # Everything but verdicts works without them.
        *(() if absent() else (_validators(),)),
    )


def _tools(python: str) -> Step:
    lock = ROOT / "infra" / "setup" / "uv-requirements.txt"
    tools = INSTALLED / "tools"
    pip = [str(tools / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    return Step(
        "tools",
        "uv",
        (
            [python, "-m", "venv", "--clear", str(tools)],
            [*pip, "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", str(lock)],
        ),
        inputs=(lock,),
        results=(UV,),
    )


def _product(python: str) -> Step:
    lock = ROOT / "requirements-dev.txt"
    uv = [str(UV), "pip"]
    target = ["--quiet", "--python", str(PYTHON)]
    return Step(
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


def _localstack(python: str) -> Step:
    lock = ROOT / "infra" / "local" / "localstack-requirements.txt"
    certificate = ROOT / "infra" / "setup" / "certificate.py"
    own = str(LOCALSTACK / "bin" / "python")
    return Step(
        "localstack",
        "LocalStack",
        (
            [str(UV), "venv", "--quiet", "--allow-existing", "-p", python, str(LOCALSTACK)],
            [str(UV), "pip", "sync", "--quiet", "-p", own, "--require-hashes", str(lock)],
            [own, str(certificate), str(LOCALSTACK / "certificate.pem")],
        ),
        inputs=(lock, certificate),
        results=(LOCALSTACK / "certificate.pem", LOCALSTACK / "bin" / "python"),
        after=("tools",),
    )


def _plugins(localstack: Step) -> Step:
    folder = ROOT / "infra" / "localstack"
    project = folder / "pyproject.toml"
    declared = tomllib.loads(project.read_text(encoding="utf-8"))
    sources = declared["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    wheel = INSTALLED / "wheels" / "platen_localstack-1-py3-none-any.whl"
    own = str(LOCALSTACK / "bin" / "python")
    build = ["--quiet", "--wheel", "--no-build-isolation", "-p", str(PYTHON)]
    install = ["--quiet", "--reinstall", "--no-deps", "--no-index", "-p", own]
    return Step(
        "plugins",
        "plug-ins of LocalStack",
        (
            [str(UV), "build", *build, "--out-dir", str(wheel.parent), str(folder)],
            [str(UV), "pip", "install", *install, str(wheel)],
        ),
        # Whenever LocalStack is installed anew, they are gone.
        inputs=(*localstack.inputs, project, *(folder / name for name in sources)),
        results=(LOCALSTACK / "lib" / "python3.13" / "site-packages" / "infra",),
        after=("localstack", "product"),
    )


def _chromium() -> Step:
    target = INSTALLED / "chromium"
    return Step(
        "chromium",
        "Chromium",
        (_build("chromium", target),),
        inputs=_sources("chromium"),
        results=(target / ".pins",),
        after=("product",),
    )


def _fonts() -> Step:
    target, chromium = INSTALLED / "fonts", INSTALLED / "chromium"
    remember = [str(PYTHON), "-m", "layers.fonts.remember", str(chromium), str(target)]
    return Step(
        "fonts",
        "fonts",
        (_build("fonts", target), remember),
        # What the browser remembers of them is a matter of its version.
        inputs=(*_sources("fonts"), *_sources("chromium")),
        results=(target / ".pins", target / "cache"),
        after=("chromium", "product"),
    )


def _validators() -> Step:
    target = INSTALLED / "validators"
    folder = ROOT / "layers" / "validators"
    parts = (path for path in folder.rglob("*") if path.is_file())
    return Step(
        "validators",
        "validators",
        (_build("validators", target),),
        inputs=tuple(sorted(path for path in parts if path.suffix != ".pyc")),
        results=(target / ".pins",),
        after=("product",),
    )


def _build(layer: str, target: Path) -> list[str]:
    return [str(PYTHON), "-m", f"layers.{layer}.build", str(target)]


def _sources(layer: str) -> tuple[Path, ...]:
    return (ROOT / "layers" / "npm.py", *sorted((ROOT / "layers" / layer).glob("*.py")))


def _dynoxide() -> Step:
    target = INSTALLED / "bin"
    source = ROOT / "infra" / "setup" / "dynoxide.py"
    return Step(
        "dynoxide",
        "DynamoDB for one machine",
        ([str(PYTHON), "-m", "infra.setup.dynoxide", str(target)],),
        inputs=(ROOT / "layers" / "npm.py", source),
        results=(target / "dynoxide",),
        after=("product",),
    )
