"""Report of the attacks: a line per class, and with -v or -rA a line per attack."""

from pathlib import Path

import pytest
from _pytest.terminal import TerminalReporter

from tests.integration.attacks.results import RESULTS, summary, table, total

_FILE = Path(__file__).parents[3] / "build" / "attacks.txt"


def pytest_terminal_summary(terminalreporter: TerminalReporter, config: pytest.Config) -> None:
    results = config.stash.get(RESULTS, None)
    if results is None:
        return
    whole = table(results)
    _FILE.parent.mkdir(exist_ok=True)
    _FILE.write_text("\n".join([*whole, total(results), ""]))
    terminalreporter.section("attacks (each in build/attacks.txt)")
    if terminalreporter.verbosity > 0 or "A" in config.option.reportchars:
        terminalreporter.write("\n".join([*whole, "", ""]))
    terminalreporter.write("\n".join([*summary(results), total(results), ""]))
