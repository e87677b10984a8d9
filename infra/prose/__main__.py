"""Linter of prose over the pages for people, and a trial of its rules by their samples.

`python -m infra.prose [--warnings] [PAGE …]`

The exit status is 1 where a rule of the level `error` finds something, or a sample fails.
"""

import subprocess
import sys
from pathlib import Path
from typing import Final

import click

from infra.setup.steps import VALE_DIR
from infra.template import ROOT

FOLDER: Final = Path(__file__).resolve().parent
RULES: Final = FOLDER / "styles"
PAGES: Final = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs")
_VALE: Final = VALE_DIR / "vale"


@click.command()
@click.option("--warnings", is_flag=True, help="Print what only warns, too.")
@click.argument("pages", nargs=-1, type=click.Path(exists=True))
def main(pages: tuple[str, ...], *, warnings: bool) -> None:
    """Lint the pages for people."""
    if not _VALE.exists():
        message = "Vale is not installed: make setup-checks"
        raise click.ClickException(message)
    level = "warning" if warnings else "error"
    files = ["--glob=*.md", "--output=line", f"--minAlertLevel={level}", *(pages or PAGES)]
    statuses = [_run("test", str(RULES)), _run("--config", str(FOLDER / "vale.ini"), *files)]
    sys.exit(any(statuses))


def _run(*arguments: str) -> int:
    command = [str(_VALE), "--no-global", *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    main()
