"""C# for tests: compiled and run without an SDK of .NET."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from infra.setup.csharp import OPENSSL, RUNTIME
from infra.setup.steps import CSHARP_DIR, ROOT

_COMPILE: Final = Path(__file__).with_name("compile.py")
_PYTHON_PATH: Final = f"{CSHARP_DIR / 'packages'}:{ROOT}"
# What the runtime needs of the machine, at the start of a process.
ENVIRONMENT: Final = {"LD_LIBRARY_PATH": str(CSHARP_DIR / OPENSSL)}


def compiled(source: Path, folder: Path) -> Sequence[str]:
    """Compile a program of one file, of which any warning is an error; return how it is run.

    The command needs ENVIRONMENT.
    """
    program = folder / f"{source.stem}.dll"
    done = subprocess.run(
        [sys.executable, str(_COMPILE), str(CSHARP_DIR), str(source), str(program)],
        env={**os.environ, **ENVIRONMENT, "PYTHONPATH": _PYTHON_PATH},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return (str(CSHARP_DIR / RUNTIME / "dotnet"), "exec", str(program))
