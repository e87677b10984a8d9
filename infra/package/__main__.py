"""`python -m infra.package build`: package, translate and lint both forms."""

import json
import sys
from pathlib import Path

from infra.package.build import PackageError, build
from infra.package.lint import findings
from infra.package.translate import translate


def main(folder: Path) -> int:
    """Build into a folder; return the exit status."""
    try:
        package = build(folder)
    except PackageError as error:
        sys.stderr.write(str(error))
        return 1
    translated = folder / "cloudformation.json"
    translated.write_text(json.dumps(translate(package.template), indent=2), encoding="utf-8")
    problems = [said for said in map(findings, (package.sam, translated)) if said]
    if problems:
        sys.stderr.write("\n".join(problems) + "\n")
        return 1
    size = package.archive.stat().st_size / 1e6
    sys.stdout.write(f"{package.sam}, {package.archive} ({size:.1f} MB): both forms lint clean\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).absolute()))
