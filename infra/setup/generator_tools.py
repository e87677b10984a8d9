"""Generators of clients in Go and Java, and what their clients need, for tests.

`python -m infra.setup.generator_tools TARGET_DIR`

Jars are pinned by their SHA-256, Go's modules by a go.sum.
"""

import sys
from pathlib import Path
from typing import Final

from layers.maven import fetch_artifacts
from layers.npm import main
from layers.running import run

LOCKS: Final = Path(__file__).resolve().parent / "client_generators"
JARS: Final = LOCKS / "jars.txt"
GO_LOCKS: Final = (LOCKS / "go.mod", LOCKS / "go.sum")
OAPI_CODEGEN: Final = "oapi-codegen"
_OAPI_CODEGEN_PACKAGE: Final = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen"


def build(target: Path) -> None:
    """Create `target/jars` and the executable `target/oapi-codegen`; idempotent."""
    jars = target / "jars"
    jars.mkdir(parents=True, exist_ok=True)
    for jar in jars.iterdir():
        jar.unlink()
    fetch_artifacts(JARS, jars)
    # Generated clients import a module that the generator does not.
    run(["go", "mod", "download", "-C", str(LOCKS)])
    command = ["go", "build", "-C", str(LOCKS), "-mod=readonly", "-trimpath", "-buildvcs=false"]
    run([*command, "-o", str((target / OAPI_CODEGEN).resolve()), _OAPI_CODEGEN_PACKAGE])


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
