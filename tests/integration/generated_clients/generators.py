"""Generators of clients: each makes a client of a document, and compiles a program that uses it.

Each function gets a folder that has the program and `openapi.json`, and returns the command that
runs the program. Options are those that a user needs too (docs/generated-clients.md).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from infra.setup.generator_tools import GO_LOCKS, OAPI_CODEGEN
from infra.setup.steps import COMMANDS_DIR, GENERATORS_DIR, JAVA_DIR
from layers.java import COMPILER_FILE, java_program

type Command = Sequence[str]

PROGRAMS: Final = Path(__file__).resolve().parent / "programs"
_DOCUMENT: Final = "openapi.json"
_JARS: Final = GENERATORS_DIR / "jars"
_JAVA: Final = (java_program(JAVA_DIR), "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
# A client has 5 MB of Go, and Go's compiler needs less time for it without its optimisations.
_GO_FLAGS: Final = ("-mod=readonly", "-gcflags=generated/platen=-N -l")


def run(command: Command, folder: Path, **environment: str) -> str:
    """Run a command in a folder and return what it has written; fails as the command does."""
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": f"{COMMANDS_DIR}:{os.environ['PATH']}", **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def openapi_python_client(folder: Path) -> Command:
    """Generate a package in Python, and check the types of the program."""
    scripts = Path(sys.executable).parent
    generate = (str(scripts / "openapi-python-client"), "generate", "--path", _DOCUMENT)
    output = ("--output-path", "platen_client", "--meta", "none", "--config", "generator.yaml")
    run([*generate, *output], folder)
    # The program alone is checked strictly.
    checks = ("--strict", "--follow-imports=silent", "--config-file=", "--cache-dir=cache")
    run([str(scripts / "mypy"), *checks, "program.py"], folder)
    return (sys.executable, "program.py")


def openapi_typescript(folder: Path) -> Command:
    """Generate types for openapi-fetch."""
    _link_packages(folder)
    run([*_npm_command(folder, "openapi-typescript"), _DOCUMENT, "-o", "schema.d.ts"], folder)
    return _compiled_typescript(folder)


def hey_api(folder: Path) -> Command:
    """Generate an SDK in TypeScript."""
    _link_packages(folder)
    run(_npm_command(folder, "openapi-ts"), folder)
    return _compiled_typescript(folder)


def oapi_codegen(folder: Path) -> Command:
    """Generate a package in Go; without skip-prune it lacks the events, which webhooks name."""
    for lock in GO_LOCKS:
        shutil.copy(lock, folder)
    (folder / "platen").mkdir()
    what = ("-generate", "types,client,skip-prune", "-package", "platen")
    program = str(GENERATORS_DIR / OAPI_CODEGEN)
    run([program, *what, "-o", "platen/client.go", _DOCUMENT], folder)
    # Nothing is fetched: the set-up has the modules.
    go = {"GOPROXY": "off"}
    run(["go", "build", *_GO_FLAGS, "-o", "program", "."], folder, **go)
    run(["go", "vet", *_GO_FLAGS, "."], folder, **go)
    return (str(folder / "program"),)


def openapi_generator(folder: Path) -> Command:
    """Generate classes in Java; without skipFormModel=false the body of an upload is missing."""
    generator = next(_JARS.glob("openapi-generator-cli-*.jar"))
    parts = ("apis", "models", "supportingFiles", "skipFormModel=false")
    documentation = ("apiDocs", "modelDocs", "apiTests", "modelTests")
    properties = ",".join([*parts, *(f"{each}=false" for each in documentation)])
    generate = (*_JAVA, "-jar", str(generator), "generate", "-i", _DOCUMENT, "-g", "java")
    run([*generate, "-o", "client", "--global-property", properties], folder)
    libraries = ":".join(str(jar) for jar in _JARS.iterdir() if jar != generator)
    compiler = (*_JAVA, "-jar", str(JAVA_DIR / COMPILER_FILE), "-17", "-nowarn", "-g:none")
    sources = ("client/src/main/java", "Program.java")
    run([*compiler, "-d", "classes", "-cp", libraries, *sources], folder)
    return (*_JAVA, "-cp", f"classes:{libraries}", "Program")


def _link_packages(folder: Path) -> None:
    (folder / "node_modules").symlink_to(GENERATORS_DIR / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}')
    shutil.copy(PROGRAMS / "tsconfig.json", folder)


def _npm_command(folder: Path, name: str) -> Command:
    return ("node", str((folder / "node_modules" / ".bin" / name).resolve()))


def _compiled_typescript(folder: Path) -> Command:
    run(_npm_command(folder, "tsc"), folder)
    return ("node", "out/program.js")
