"""Write the tables of the guides between their markers (`python -m infra.guides.tables`).

A page of `docs/` has `<!-- options: NAME -->`, and below it `<!-- end of options -->`. What stands
between them is the table of the options of NAME, whose forms `options_table` describes. Other
tables are `plans`, `scopes`, `warnings`, `events` and `problems`; `problems: Access` has one group
of codes. `terms: Invoice` has the fields of an invoice by the terms of EN 16931, and
`terms: InvoiceTotals` those that are computed. `gotenberg: pdf` has form fields of Gotenberg, see
`gotenberg_fields`.

With `--check` nothing is written: stale pages are named, and the exit code is 1.
"""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from infra.guides.catalogues import (
    events_table,
    plans_table,
    problems_table,
    scopes_table,
    warnings_table,
)
from infra.guides.gotenberg_fields import gotenberg_table
from infra.guides.invoice_terms import terms_table
from infra.guides.options_table import options_table
from infra.guides.own_findings import findings_table
from infra.template import ROOT

PAGES: Final = ROOT / "docs"
_TABLES: Final[Mapping[str, Callable[[str], str]]] = {
    "options": options_table,
    "plans": plans_table,
    "scopes": scopes_table,
    "warnings": warnings_table,
    "problems": problems_table,
    "events": events_table,
    "findings": findings_table,
    "terms": terms_table,
    "gotenberg": gotenberg_table,
}
_KINDS: Final = "|".join(_TABLES)
_BEGIN: Final = re.compile(rf"^<!-- ({_KINDS})(?:: *(.*?))? *-->\n", re.MULTILINE)
_MARKED: Final = re.compile(
    rf"^<!-- (?P<kind>{_KINDS})(?:: *(?P<name>[^\n]*?))? *-->\n"
    rf"(?:(?!<!-- (?:{_KINDS})\b).*\n)*?<!-- end of (?P=kind) -->$",
    re.MULTILINE,
)


def fill(page: str) -> str:
    """Return a page with its tables as they must be.

    Raises ValueError for a marker without an end, and for a name that the contract does not have.
    """
    if len(_BEGIN.findall(page)) != len(_MARKED.findall(page)):
        message = "each marker <!-- options: … --> needs <!-- end of options --> below it"
        raise ValueError(message)
    return _MARKED.sub(_fill_part, page)


def stale_pages(folder: Path = PAGES) -> dict[Path, str]:
    """Return the pages whose tables are not as they must be, with the text that they must have."""
    stale = {}
    for path in sorted(folder.rglob("*.md")):
        page = path.read_text(encoding="utf-8")
        try:
            new = fill(page)
        except ValueError as error:
            message = f"{path}: {error}"
            raise ValueError(message) from error
        if new != page:
            stale[path] = new
    return stale


def main(arguments: Sequence[str], folder: Path = PAGES) -> int:
    """Write the tables, or name the stale pages; return the exit code."""
    stale = stale_pages(folder)
    if "--check" in arguments:
        for path in stale:
            sys.stderr.write(f"{path}: stale tables; run python -m infra.guides.tables\n")
        return 1 if stale else 0
    for path, page in stale.items():
        path.write_text(page, encoding="utf-8")
        sys.stdout.write(f"{path}: written\n")
    return 0


def _fill_part(match: re.Match[str]) -> str:
    kind, name = match["kind"], match["name"] or ""
    begin = match[0].partition("\n")[0]
    return f"{begin}\n\n{_TABLES[kind](name)}\n\n<!-- end of {kind} -->"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
