"""Builds everything that is deployed into one folder, and looks at it."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from infra.package.archives import write_archives
from infra.package.check import missing
from infra.package.errors import PackageError
from infra.package.lint import findings
from infra.package.sam import write_template
from infra.package.sizes import sizes, table, too_large
from infra.package.starts import broken_starts
from infra.package.translate import translate


def build(folder: Path) -> None:
    """Build template and archives; raises PackageError with everything that is wrong with them.

    What a function would miss is found first: it costs a few seconds, the archives many.
    """
    sam, plain = folder / "sam.json", folder / "cloudformation.json"
    template = write_template(sam)
    translated = translate(template)
    plain.write_text(json.dumps(translated, indent=2), encoding="utf-8")
    _stop_at(missing(translated))
    write_archives(folder, template)
    rows = list(sizes(template, folder))
    Console().print(table(rows))
    with ThreadPoolExecutor() as threads:
        linted = threads.map(findings, (sam, plain))
        started = broken_starts(template, folder)
        _stop_at([*too_large(rows), *started, *filter(None, linted)])


def _stop_at(problems: list[str]) -> None:
    if problems:
        raise PackageError("\n".join(problems))
