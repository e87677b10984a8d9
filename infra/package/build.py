"""Build of template and archives into one folder, with all checks of them."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich.console import Console

from infra.package.archives import write_archives
from infra.package.check import missing_needs, start_failures
from infra.package.errors import PackageError
from infra.package.sam import compact_json, lint_findings, write_template
from infra.package.sizes import function_sizes, size_errors, size_table
from infra.package.translate import translate


def build(folder: Path) -> None:
    """Build template and archives; raises PackageError with all problems found.

    Settings, layers and permissions are checked first: that takes seconds, the archives minutes.
    """
    sam, plain = folder / "sam.json", folder / "cloudformation.json"
    template = write_template(sam)
    translated = translate(template)
    plain.write_text(compact_json(translated), encoding="utf-8")
    _raise_for(missing_needs(translated))
    write_archives(folder, template)
    rows = list(function_sizes(template, folder))
    Console().print(size_table(rows))
    with ThreadPoolExecutor() as threads:
        linted = threads.map(lint_findings, (sam, plain))
        started = start_failures(template, folder)
        _raise_for([*size_errors(rows), *started, *filter(None, linted)])


def _raise_for(problems: list[str]) -> None:
    if problems:
        raise PackageError("\n".join(problems))
