"""`python -m infra.bench.performance_page [NAME …]`: writes measured figures into the page.

The page has a pair of markers for each benchmark; what stands between them is written here, and
no figure by hand. Each benchmark has a stack of its own, and its block is written when it ends, so
that a fault of a later one loses nothing.
"""

import argparse
import datetime as dt
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import psutil

from chalicelib.core.version import VERSION
from chalicelib.engine.versions import ENGINE_VERSIONS
from infra.bench.parts import Parts
from infra.bench.registry import MODULES, run
from infra.bench.report import Claim, Report, Row
from infra.template import ROOT

PAGE: Final = ROOT / "docs" / "performance.md"
MACHINE: Final = "machine"
_BLOCK: Final = re.compile(
    r"(?P<begin>^<!-- measured: (?P<name>[a-z-]+) -->\n).*?(?P<end>^<!-- end of measured -->$)",
    re.DOTALL | re.MULTILINE,
)
_SMOKE: Final = "**Smoke run: it shows that the benchmark works, and its figures say nothing.**"
_GIB: Final = 2**30
_WHOLE_FROM: Final = 100
_ONE_DECIMAL_FROM: Final = 10


class Circumstances(NamedTuple):
    """When a benchmark began, and how busy the machine was then."""

    day: dt.date
    load: float
    processors: int
    is_smoke: bool = False

    @classmethod
    def now(cls, *, is_smoke: bool = False) -> "Circumstances":
        """Return those of this moment."""
        day = dt.datetime.now(dt.UTC).date()
        return cls(day, os.getloadavg()[0], os.cpu_count() or 1, is_smoke)

    def text(self) -> str:
        """Return them as a sentence."""
        load = f"the load before was {self.load:.1f} on {self.processors} processors"
        measured = f"Measured on {self.day.isoformat()} with Platen {VERSION}; {load}."
        return f"{measured} {_SMOKE}" if self.is_smoke else measured


def main() -> int:
    """Measure, and return 1 when a limit is not kept."""
    blocks = names(PAGE.read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(
        prog="python -m infra.bench.performance_page", description=__doc__
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(blocks)}; or all")
    parser.add_argument("--smoke", action="store_true", help="show in seconds that it runs")
    arguments = parser.parse_args()
    chosen = arguments.names or blocks
    unknown = [name for name in chosen if name not in blocks]
    if unknown:
        parser.error(f"the page has no block for {', '.join(unknown)}")
    is_kept = True
    write(PAGE, MACHINE, machine_table(machine_details()))
    for name in chosen:
        circumstances = Circumstances.now(is_smoke=arguments.smoke)
        with Parts() as parts:
            report = run(name, parts, is_smoke=arguments.smoke)
        write(PAGE, name, block(name, report, circumstances))
        is_kept = is_kept and report.is_kept
    return int(not is_kept and not arguments.smoke)


def names(page: str) -> list[str]:
    """Return the benchmarks that a page shows, in its order.

    Raises ValueError if it names something that is no benchmark.
    """
    found = [match["name"] for match in _BLOCK.finditer(page)]
    unknown = set(found) - MODULES.keys() - {MACHINE}
    if unknown:
        raise ValueError(f"no benchmark: {', '.join(sorted(unknown))}")
    return [name for name in found if name != MACHINE]


def write(page: Path, name: str, text: str) -> None:
    """Write what stands in a page between the markers of a name."""
    before = page.read_text(encoding="utf-8")

    def replacement(match: re.Match[str]) -> str:
        if match["name"] != name:
            return match[0]
        return f"{match['begin']}{text.strip()}\n{match['end']}"

    page.write_text(_BLOCK.sub(replacement, before), encoding="utf-8")


def block(name: str, report: Report, circumstances: Circumstances) -> str:
    """Return the block of a benchmark: its tables, its claims, and when it was run."""
    tables = [_table(head, rows) for head, *rows in _split(report.rows)]
    claims = [
        [claim.title if claim.title != name else "ratio", *_claim_cells(claim)]
        for claim in report.claims
    ]
    checked = _markdown(["Claim", "Measured", "Limit", "Kept"], claims)
    return "\n\n".join([*tables, checked, circumstances.text()])


def machine_details() -> Mapping[str, str]:
    """Return the parts of this machine and the versions that are measured, by their titles."""
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"],  # noqa: S607 -- the developer's git
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    engine = ENGINE_VERSIONS[-1]
    return {
        "Processor": f"{os.cpu_count()} processors, {_processor()}, {platform.machine()}",
        "Memory": f"{psutil.virtual_memory().total / _GIB:.0f} GiB",
        "System": f"{system}, Linux {'.'.join(platform.release().split('-')[0].split('.')[:2])}",
        "Python": platform.python_version(),
        "Platen": f"{VERSION}, commit {commit}" if commit else VERSION,
        "Engine": f"{engine.id}, Chromium {engine.chromium_version}",
    }


def machine_table(details: Mapping[str, str]) -> str:
    """Return the details as a table."""
    return _markdown(["Machine", ""], [[name, value] for name, value in details.items()])


def _processor() -> str:
    found = re.search(
        r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE
    )
    return found[1].strip() if found else "processor of unknown name"


def _split(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Yield the tables of a report; a row of words alone is the head of one."""
    table: list[Row] = []
    for row in rows:
        if table and _is_head(row):
            yield table
            table = []
        table.append(row)
    if table:
        yield table


def _is_head(row: Row) -> bool:
    return bool(row.cells) and all(
        isinstance(cell, str) and not cell.replace(".", "").isdigit() for cell in row.cells
    )


def _table(head: Row, rows: Sequence[Row]) -> str:
    has_notes = any(row.note for row in rows)
    width = max(len(row.cells) for row in (head, *rows))
    lines = [
        [row.title.strip(), *_texts(row.cells, width), *([row.note] if has_notes else [])]
        for row in rows
    ]
    return _markdown([head.title, *_texts(head.cells, width), *([""] if has_notes else [])], lines)


def _texts(cells: Sequence[float | str], width: int) -> list[str]:
    texts = [cell if isinstance(cell, str) else number(cell) for cell in cells]
    return texts + [""] * (width - len(texts))


def _claim_cells(claim: Claim) -> list[str]:
    bound = f"{claim.limit.value:g}{claim.limit.unit}"
    return [
        ", ".join(f"{number(figure)}{claim.limit.unit}" for figure in claim.figures),
        f"at least {bound}" if claim.limit.at_least else f"at most {bound}",
        "yes" if claim.is_kept else "**no**",
    ]


def number(value: float) -> str:
    """Return a figure with three digits or more, thousands apart: `0.42`, `12.3`, `1 234`."""
    if value == 0:
        return "0"
    if abs(round(value, 1)) >= _WHOLE_FROM:
        return f"{value:,.0f}".replace(",", " ")
    return f"{value:.1f}" if abs(round(value, 2)) >= _ONE_DECIMAL_FROM else f"{value:.2f}"


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    align = ["---", *["---:"] * (len(head) - 1)]
    lines = [head, align, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
