"""Parts of the suite: the static checks, and one pytest run for each folder of tests."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from infra.template import ROOT

RESULTS_DIR: Final = ROOT / ".platen" / "suite"
_BIN: Final = Path(sys.executable).parent
_CORES: Final = os.cpu_count() or 1
_CONSOLE: Final = ROOT / "console"
_INTEGRATION: Final = ROOT / "tests" / "integration"
# pytest-xdist's processes of a folder; one where none is named. Listed first, they start first.
_WORKERS: Final = {
    "serve": 1,
    "console": 1,
    "engine": 2,
    "validators": 2,
    "templating": 2,
    "crash": 2,
    "service": 1,
    "local": 1,
    "faults": 1,
    "capacity": 1,
}
# What AWS gets, built, checked and run on LocalStack: minutes, and only for what is deployed.
_DEPLOYMENT: Final = ("deployed", "package")
# After this pytest prints where each thread of a test stands.
_SILENCE_S: Final = 600


@dataclass(frozen=True, slots=True)
class Part:
    """Commands that run one after the other, or pytest over a path when `path` is set.

    `workers`: the processes that work at a time, which the other parts leave free.
    """

    name: str
    commands: tuple[Sequence[str], ...] = ()
    path: str = ""
    workers: int = 1
    breadth: bool = False

    @property
    def log(self) -> Path:
        """Return the file of its output."""
        return RESULTS_DIR / f"{self.name}.log"

    @property
    def report(self) -> Path:
        """Return pytest's report in JUnit's format."""
        return RESULTS_DIR / f"{self.name}.xml"

    @property
    def cache(self) -> Path:
        """Return pytest's cache, which keeps the ids of failed tests."""
        return RESULTS_DIR / f"{self.name}.cache"

    def commands_to_run(self, *, only_failed: bool) -> tuple[Sequence[str], ...]:
        """Return its commands; `only_failed`: the failures of its last run, in one process."""
        if not self.path:
            return self.commands
        spread = ["-n", str(self.workers), "--dist", self._distribution]
        return (
            [
                *(str(_BIN / "pytest"), "-q", "--tb=short", "--durations=15"),
                *("-o", f"cache_dir={self.cache}", f"--junitxml={self.report}"),
                *("-o", f"faulthandler_timeout={_SILENCE_S}"),
                *("-m", "" if self.breadth else "not breadth"),
                *(["-n", "0", "--last-failed"] if only_failed else spread),
                self.path,
            ],
        )

    @property
    def _distribution(self) -> str:
        # Modules of integration tests share what they have started.
        return "loadfile" if self.path.startswith("tests/integration/") else "worksteal"


def check_parts(*, breadth: bool = False) -> list[Part]:
    """Return the parts of `make check`; `breadth`: with all of their cases."""
    return [
        Part("types", ([str(_BIN / "mypy"), "."],)),
        Part("unit", path="tests/unit", workers=_CORES, breadth=breadth),
        Part("architecture", path="tests/architecture", workers=_CORES),
        Part("lint", ([_ruff(), "check", "."], [_ruff(), "format", "--check", "."])),
        Part("prose", ([sys.executable, "-m", "infra.prose"],)),
        Part("imports", ([str(_BIN / "lint-imports")],)),
        Part("tsc", ([str(_CONSOLE / "node_modules" / ".bin" / "tsc"), "-p", str(_CONSOLE)],)),
    ]


def all_parts(*, breadth: bool) -> list[Part]:
    """Return the parts of `make test` in the order in which they start.

    `breadth`: with all of their cases, and with the parts of a deployment.
    """
    folders = {path.name for path in _INTEGRATION.iterdir() if any(path.rglob("test_*.py"))}
    others = [
        Part(name, path=f"tests/integration/{name}", workers=workers, breadth=breadth)
        for name in [*_WORKERS, *sorted(folders - _WORKERS.keys())]
        for workers in [_WORKERS.get(name, 1)]
        if name not in _DEPLOYMENT
    ]
    functional = Part("functional", path="tests/functional", workers=_CORES, breadth=breadth)
    # The first one builds and checks the package, too.
    deployment = [
        Part(each, path=f"tests/integration/{each}", breadth=True) for each in _DEPLOYMENT
    ]
    return [*(deployment if breadth else []), *check_parts(breadth=breadth), functional, *others]


def _ruff() -> str:
    return str(_BIN / "ruff")
