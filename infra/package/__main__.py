"""`python -m infra.package build`: build everything that is deployed, and look at it."""

import json
import sys
from pathlib import Path

from rich.console import Console

from infra.package.build import build
from infra.package.check import missing
from infra.package.errors import PackageError
from infra.package.imports import broken_imports
from infra.package.lint import findings
from infra.package.sizes import sizes, table, too_large
from infra.package.translate import translate


def main(folder: Path) -> int:
    """Build into a folder; return the exit status."""
    try:
        package = build(folder)
    except PackageError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    translated = translate(package.template)
    plain = folder / "cloudformation.json"
    plain.write_text(json.dumps(translated, indent=2), encoding="utf-8")
    rows = list(sizes(package.template, folder))
    Console().print(table(rows))
    problems = [*missing(translated), *too_large(rows), *broken_imports(package.template, folder)]
    problems += [said for said in map(findings, (package.sam, plain)) if said]
    sys.stderr.write("".join(f"{problem}\n" for problem in problems))
    if not problems:
        sys.stdout.write(f"{package.sam}: complete, both forms lint clean\n")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
