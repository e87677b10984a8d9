"""Run a benchmark by its name: `python -m infra.bench import`."""

import runpy
import sys
from typing import Final

# `import` is no name that a module could be imported by.
MODULES: Final = {"import": "import_time", "latency": "latency", "load": "load"}

if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in MODULES:  # noqa: PLR2004 -- itself and the name
        sys.exit(f"NAME is one of: {', '.join(MODULES)}")
    name = MODULES[sys.argv.pop()]
    runpy.run_module(f"infra.bench.{name}", run_name="__main__")
