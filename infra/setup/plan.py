"""Parts that the set-up installs, each a step that names the steps it waits for."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Final

from infra.setup.go_servers import SERVERS
from infra.setup.server_tools import TOOLS
from infra.setup.steps import (
    COMMANDS_DIR,
    CONSOLE_PACKAGES_DIR,
    CSHARP_DIR,
    GENERATORS_DIR,
    INSTALL_DIR,
    JAVA_DIR,
    LOCALSTACK_DIR,
    MINISTACK_DIR,
    PROPERDOCS_DIR,
    PYTHON,
    ROOT,
    STORES_DIR,
    UV,
    VALE_DIR,
    WEBHOOK_LIBRARY_DIR,
    SetupStep,
    lock_file,
)
from infra.setup.toolchains import TOOLCHAINS

_SETUP: Final = ROOT / "infra" / "setup"
_CONSOLE: Final = ROOT / "console"
_GUIDES: Final = ROOT / "infra" / "guides" / "site"
IMAGE_LOCK: Final = ROOT / "infra" / "serve" / "requirements.txt"


def setup_steps(
    python: str, *, for_tests: bool, for_checks: bool = False, for_image: bool = False
) -> tuple[SetupStep, ...]:
    """Return all steps; `python` is a Python 3.13.

    Only tests need LocalStack, and servers of storage, which take minutes to build. They run the
    checks, too, which need the linter of prose. An image has the Python packages of the service
    only.
    """
    lock = IMAGE_LOCK if for_image else ROOT / "requirements-dev.txt"
    checks = _check_steps(python) if for_checks or for_tests else ()
    return (*_run_steps(python, lock), *checks, *(_test_steps(python) if for_tests else ()))


def _run_steps(python: str, lock: Path) -> tuple[SetupStep, ...]:
    return (
        _product(python, lock),
        _ministack(python),
        _chromium(),
        _fonts(),
        _pages(),
        _properdocs(python),
        _guides(),
        _console_packages(),
        _console(),
        _dynoxide(),
        _webhook_library(),
        _toolchain("node", "Node", python),
        _java(),
        _validators(),
    )


def _check_steps(python: str) -> tuple[SetupStep, ...]:
    return (_toolchain("go", "Go", python), _vale(), _console_types())


def _test_steps(python: str) -> tuple[SetupStep, ...]:
    localstack = _localstack(python)
    return (
        localstack,
        _plugins(localstack),
        _go_servers(),
        _azurite(),
        _openapi_lint(),
        _client_generators(),
        _generator_tools(),
        _sshd(python),
        _php(python),
        _csharp(),
        _server_tools(python),
    )


def _product(python: str, lock: Path) -> SetupStep:
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
    )


def _localstack(python: str) -> SetupStep:
    lock = ROOT / "infra" / "local" / "localstack-requirements.txt"
    certificate = _SETUP / "certificate.py"
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
        after=("node", "product"),
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
        after=("chromium", "node", "product"),
    )


def _pages() -> SetupStep:
    target = INSTALL_DIR / "pages"
    return SetupStep(
        "pages",
        "viewer of the reference and search of the guides",
        (_build_command("pages", target),),
        inputs=_layer_sources("pages"),
        results=(target / ".pins",),
        after=("node", "product"),
    )


def _properdocs(python: str) -> SetupStep:
    lock = _GUIDES / "properdocs-requirements.txt"
    own = PROPERDOCS_DIR / "bin" / "python"
    return SetupStep(
        "properdocs",
        "program that makes the guides",
        (
            [str(UV), "venv", "--quiet", "--allow-existing", "-p", python, str(PROPERDOCS_DIR)],
            [str(UV), "pip", "sync", "--quiet", "-p", str(own), "--require-hashes", str(lock)],
        ),
        inputs=(lock,),
        results=(PROPERDOCS_DIR / "bin" / "properdocs",),
    )


def _guides() -> SetupStep:
    target = INSTALL_DIR / "guides"
    config = _GUIDES / "service.yml"
    shared = ROOT / "chalicelib" / "api" / "pages" / "static"
    folders = (ROOT / "docs", _GUIDES)
    sources = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    build = ["build", "--quiet", "--config-file", str(config), "--site-dir", str(target)]
    return SetupStep(
        "guides",
        "guides",
        ([str(PROPERDOCS_DIR / "bin" / "properdocs"), *build],),
        inputs=(
            *sorted(path for path in sources if path.suffix != ".pyc"),
            *(shared / "pages.css", shared / "icon.svg", ROOT / "layers" / "pages" / "build.py"),
        ),
        results=(target / "index.html",),
        after=("pages", "properdocs"),
    )


def _console_packages() -> SetupStep:
    title = "packages of the console"
    step = _npm_lock_step("console_packages", title, CONSOLE_PACKAGES_DIR, "vite", _CONSOLE)
    # Editors and compilers look for them beside the sources.
    link = [
        "ln",
        "-sfn",
        str(CONSOLE_PACKAGES_DIR / "node_modules"),
        str(_CONSOLE / "node_modules"),
    ]
    return replace(step, commands=(*step.commands, link))


def _console() -> SetupStep:
    target = INSTALL_DIR / "console"
    examples = [path for path in (ROOT / "examples").rglob("*") if path.is_file()]
    pictures = (ROOT / "docs" / "images").glob("*.png")
    sources = [path for path in _CONSOLE.rglob("*") if path.is_file()]
    out = ["--outDir", str(target), "--emptyOutDir"]
    build = ["build", str(_CONSOLE), "--logLevel", "error", *out]
    return SetupStep(
        "console",
        "console",
        ([str(CONSOLE_PACKAGES_DIR / "node_modules" / ".bin" / "vite"), *build],),
        inputs=(
            *(*sorted(sources), *sorted(examples), *sorted(pictures)),
            ROOT / "infra" / "openapi.json",
        ),
        results=(target / "index.html",),
        after=("console_packages",),
    )


def _console_types() -> SetupStep:
    """Return the step that writes the types of the API, which only the compiler reads."""
    contract, target = (
        ROOT / "infra" / "openapi.json",
        INSTALL_DIR / "console_types" / "contract.d.ts",
    )
    generate = CONSOLE_PACKAGES_DIR / "node_modules" / ".bin" / "openapi-typescript"
    return SetupStep(
        "console_types",
        "types of the console's client",
        ([str(generate), str(contract), "--output", str(target)],),
        inputs=(contract, _CONSOLE / "package-lock.json"),
        results=(target,),
        after=("console_packages",),
    )


def _java() -> SetupStep:
    lock, module = lock_file("java"), ROOT / "layers" / "java.py"
    install = [str(UV), "pip", "install", "--quiet", "-p", str(PYTHON), "--target", str(JAVA_DIR)]
    return SetupStep(
        "java",
        "Java",
        (
            ["rm", "-rf", str(JAVA_DIR)],
            [*install, "--no-deps", "--require-hashes", "-r", str(lock)],
            [str(PYTHON), "-m", "layers.java", str(JAVA_DIR)],
        ),
        inputs=(lock, module),
        results=(JAVA_DIR / "ecj.jar",),
        after=("product",),
    )


def _validators() -> SetupStep:
    target = INSTALL_DIR / "validators"
    folder = ROOT / "layers" / "validators"
    parts = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    java = lock_file("java"), ROOT / "layers" / "java.py"
    return SetupStep(
        "validators",
        "validators",
        ([*_build_command("validators", target), str(JAVA_DIR)],),
        inputs=(*sorted(parts), *java),
        results=(target / ".pins",),
        after=("java", "product"),
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
    target = STORES_DIR / "azurite"
    return _npm_lock_step("azurite", "Azure's storage for tests", target, "azurite-blob")


def _openapi_lint() -> SetupStep:
    target = INSTALL_DIR / "openapi_lint"
    return _npm_lock_step("openapi_lint", "linters of the OpenAPI document", target, "redocly")


def _client_generators() -> SetupStep:
    title = "generators of clients in TypeScript for tests"
    return _npm_lock_step("client_generators", title, GENERATORS_DIR, "openapi-ts")


def _generator_tools() -> SetupStep:
    module = _SETUP / "generator_tools.py"
    locks = _SETUP / "client_generators"
    return SetupStep(
        "generator_tools",
        "generators of clients in Go and Java for tests",
        ([str(PYTHON), "-m", "infra.setup.generator_tools", str(GENERATORS_DIR)],),
        inputs=(module, locks / "jars.txt", locks / "go.mod", locks / "go.sum"),
        results=(GENERATORS_DIR / "jars", GENERATORS_DIR / "oapi-codegen"),
        after=("go", "product"),
    )


def _npm_lock_step(
    name: str, title: str, folder: Path, command: str, lock_folder: Path | None = None
) -> SetupStep:
    """Return the step that installs the packages of a lock, one of which has the command."""
    # npm reads no lock file through a link.
    target = folder.resolve()
    source = lock_folder or _SETUP / name
    locks = source / "package.json", source / "package-lock.json"
    # The lock has hashes, so npm need not ask whether its cache is current: 6 s instead of 57 s.
    quiet = ["--prefer-offline", "--no-audit", "--no-fund"]
    install = ["npm", "ci", "--ignore-scripts", *quiet, "--prefix", str(target)]
    return SetupStep(
        name,
        title,
        (["mkdir", "-p", str(target)], ["cp", *map(str, locks), str(target)], install),
        inputs=locks,
        results=(target / "node_modules" / ".bin" / command,),
        after=("node",),
    )


def _go_servers() -> SetupStep:
    return SetupStep(
        "go_servers",
        "servers in Go for tests, which takes minutes",
        ([str(PYTHON), "-m", "infra.setup.go_servers", str(STORES_DIR)],),
        inputs=(_SETUP / "go_programs.py", _SETUP / "go_servers.py"),
        results=tuple(STORES_DIR / server.name for server in SERVERS),
        after=("go", "product"),
    )


def _vale() -> SetupStep:
    return SetupStep(
        "vale",
        "linter of prose",
        ([str(PYTHON), "-m", "infra.setup.vale", str(VALE_DIR)],),
        inputs=(_SETUP / "go_programs.py", _SETUP / "vale.py"),
        results=(VALE_DIR / "vale",),
        after=("go", "product"),
    )


def _toolchain(name: str, title: str, python: str) -> SetupStep:
    return SetupStep(
        name,
        title,
        ([python, "-m", "infra.setup.toolchains", name, str(COMMANDS_DIR)],),
        inputs=(lock_file(name), _SETUP / "toolchains.py", _SETUP / "commands.py"),
        results=tuple(COMMANDS_DIR / command for command in TOOLCHAINS[name].files),
    )


def _sshd(python: str) -> SetupStep:
    return SetupStep(
        "sshd",
        "OpenSSH's server for tests",
        ([python, "-m", "infra.setup.sshd", str(COMMANDS_DIR)],),
        inputs=(_SETUP / "sshd.py", _SETUP / "debian.py", _SETUP / "commands.py"),
        results=(COMMANDS_DIR / "sshd",),
    )


def _php(python: str) -> SetupStep:
    return SetupStep(
        "php",
        "PHP for tests",
        ([python, "-m", "infra.setup.php", str(COMMANDS_DIR)],),
        inputs=(_SETUP / "php.py", _SETUP / "debian.py", _SETUP / "commands.py"),
        results=(COMMANDS_DIR / "php",),
    )


def _csharp() -> SetupStep:
    module, runtime, openssl = _SETUP / "csharp.py", lock_file("csharp"), lock_file("openssl")
    install = [str(UV), "pip", "install", "--quiet", "-p", str(PYTHON), "--no-deps"]
    checked = [*install, "--only-binary", ":all:", "--require-hashes"]
    # Its newer versions bring OpenSSL 3, and the older ones nothing for the product's Python.
    older = ["--python-version", "3.10", "--python-platform", "x86_64-manylinux2014"]
    return SetupStep(
        "csharp",
        "C# for tests",
        (
            ["rm", "-rf", str(CSHARP_DIR)],
            [*checked, "--target", str(CSHARP_DIR / "packages"), "-r", str(runtime)],
            [*checked, *older, "--target", str(CSHARP_DIR / "openssl"), "-r", str(openssl)],
            [str(PYTHON), "-m", "infra.setup.csharp", str(CSHARP_DIR)],
        ),
        inputs=(ROOT / "layers" / "npm.py", module, runtime, openssl),
        results=(CSHARP_DIR / "roslyn" / "Microsoft.CodeAnalysis.CSharp.dll",),
        after=("node", "product"),
    )


def _server_tools(python: str) -> SetupStep:
    return SetupStep(
        "server_tools",
        "nginx and other tools of servers for tests",
        ([python, "-m", "infra.setup.server_tools", str(COMMANDS_DIR)],),
        inputs=(_SETUP / "server_tools.py", _SETUP / "debian.py", _SETUP / "commands.py"),
        results=tuple(COMMANDS_DIR / name for name in TOOLS),
    )


def _npm_step(name: str, title: str, result: Path) -> SetupStep:
    """Return the step of a module of this folder that fills the folder of its result."""
    return SetupStep(
        name,
        title,
        ([str(PYTHON), "-m", f"infra.setup.{name}", str(result.parent)],),
        inputs=(ROOT / "layers" / "npm.py", _SETUP / f"{name}.py"),
        results=(result,),
        after=("node", "product"),
    )
