"""Programs of the quickstart: taken out of their pages as the pages say, and made ready to run.

Each function gets a folder that looks like a checkout, and returns the command that runs there.
"""

import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from infra.setup.steps import COMMANDS_DIR, GENERATORS_DIR, JAVA_DIR
from infra.template import ROOT
from layers.java import compile_java, java_program
from tests.builders import csharp as compiler

type Command = Sequence[str]

PAGES: Final = ROOT / "docs" / "quickstart"
_CONSOLE: Final = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A `python3` and a `php` of the set-up, as a reader has them.
ENVIRONMENT: Final = {
    "PATH": f"{COMMANDS_DIR}:{Path(sys.executable).parent}:{os.environ['PATH']}",
    "LC_ALL": "C.UTF-8",
}
_TYPESCRIPT: Final = (
    *("--strict", "--noUnusedLocals", "--erasableSyntaxOnly", "--skipLibCheck"),
    *("--target", "es2022", "--module", "nodenext", "--types", "node"),
    *("--lib", "es2022,dom,dom.iterable"),
)


def python(folder: Path) -> Command:
    return _run_command("python", folder)


def typescript(folder: Path) -> Command:
    """Compile the program with all checks; Node 22 and tsx only take its types away."""
    _run_command("typescript", folder)
    (folder / "node_modules").symlink_to(GENERATORS_DIR / "node_modules")
    tsc = str((folder / "node_modules" / ".bin" / "tsc").resolve())
    run(["node", tsc, *_TYPESCRIPT, "out/quickstart.mts"], folder)
    return ("node", "out/quickstart.mjs")


def php(folder: Path) -> Command:
    return _run_command("php", folder)


def java(folder: Path) -> Command:
    """Compile the program for Java 17 with Gson."""
    _run_command("java", folder)
    (gson,) = (GENERATORS_DIR / "jars").glob("gson-2*.jar")
    assert gson.name in (PAGES / "java.md").read_text(encoding="utf-8")
    out = folder / "out"
    compile_java(JAVA_DIR, 17, [out / "Quickstart.java"], out, [gson])
    return (java_program(JAVA_DIR), "-cp", f"{out}:{gson}", "Quickstart")


def go(folder: Path) -> Command:
    """Build the program, so that it is compiled once."""
    _run_command("go", folder)
    run(["go", "vet", "out/quickstart.go"], folder)
    run(["go", "build", "-o", "out/quickstart", "out/quickstart.go"], folder)
    return ("out/quickstart",)


def csharp(folder: Path) -> Command:
    """Compile the program; `dotnet new` makes the folder of a project."""
    (folder / "out" / "quickstart").mkdir(parents=True)
    _run_command("csharp", folder)
    return compiler.compiled(folder / "out" / "quickstart" / "Program.cs", folder)


def _run_command(language: str, folder: Path) -> Command:
    """Run the commands of a page that make its program, and return the last one, which runs it."""
    page = (PAGES / f"{language}.md").read_text(encoding="utf-8")
    block = _CONSOLE.search(page)
    assert block is not None
    *make, start = block[1].splitlines()
    # What is installed is that of the set-up.
    made = [line for line in make if not line.startswith(("pip ", "dotnet "))]
    run(["sh", "-euc", "\n".join(made)], folder)
    return start.split()


def run(
    command: Command, folder: Path, *, status: int = 0, variables: Mapping[str, str] | None = None
) -> str:
    """Run a command in a folder and return what it has written; it ends with the status."""
    # Variables of the caller's own service are not the program's.
    own = {name: text for name, text in os.environ.items() if not name.startswith("PLATEN_")}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**own, **ENVIRONMENT, **(variables or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.returncode) == bool(status), f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr
