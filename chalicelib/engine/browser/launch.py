"""A browser started: its process, and its ways out."""

import logging
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from chalicelib.engine.browser.installation import Installation, locate
from chalicelib.engine.browser.process import BrowserProcess
from chalicelib.engine.browser.proxy import Proxy
from chalicelib.engine.browser.spare import Arrivals, Spare
from chalicelib.engine.outside import Outside

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class Running:
    """A process, the ways out of its contexts, and how many spares it has made."""

    process: BrowserProcess
    arrivals: Arrivals
    proxy: Proxy
    font_families: Path
    spares: int = 0
    ended: bool = False

    def end(self) -> None:
        """Have everything end; returns at once."""
        self.ended = True
        self.proxy.close()
        self.process.end()


@dataclass(frozen=True, slots=True)
class Ready:
    """A spare, and whose it is."""

    running: Running
    spare: Spare

    @property
    def spoilt(self) -> bool:
        """Tell whether its browser has ended."""
        return self.running.ended or self.running.process.pipe.closed


@dataclass(slots=True)
class Launcher:
    """Starts browsers of one installation."""

    chromium: Path
    fonts: Path
    outside: Outside
    authorities: Path | None
    sandbox: bool
    _installation: Installation | None = field(default=None, init=False)

    def start(self) -> Running:
        """Start one; raises BrowserGone when it does not come up, BrowserMissing."""
        self._installation = installation = self._installation or locate(self.chromium, self.fonts)
        process = BrowserProcess(installation, sandbox=self.sandbox)
        try:
            proxy = Proxy(self.outside, partial(self._trust, installation, process.home))
            return Running(process, Arrivals(process.pipe), proxy, installation.font_families)
        except BaseException:
            log.warning("the browser does not start: %s", process.last_words())
            process.kill()
            raise

    def _trust(self, installation: Installation, home: Path) -> None:
        if self.authorities is None:
            return
        # Most documents verify nobody.
        from chalicelib.engine.browser import authorities  # noqa: PLC0415

        authorities.install(self.authorities, installation, home)
