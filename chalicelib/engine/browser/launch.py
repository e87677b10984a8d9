"""A browser started: its process, and its ways out."""

import logging
from functools import cached_property, partial
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.engine.browser.installation import Installation, locate
from chalicelib.engine.browser.process import BrowserProcess
from chalicelib.engine.browser.proxy import Proxy
from chalicelib.engine.browser.spare import Arrivals, Spare
from chalicelib.engine.outside import Outside

log = logging.getLogger(__name__)


class Running:
    """A process, the ways out of its contexts, and how many spares it has made."""

    def __init__(
        self, process: BrowserProcess, arrivals: Arrivals, proxy: Proxy, font_families: Path
    ) -> None:
        """Take over what has been started."""
        self.process: Final = process
        self.arrivals: Final = arrivals
        self.proxy: Final = proxy
        self.font_families: Final = font_families
        self.spares = 0
        self.ended = False

    def end(self) -> None:
        """Have everything end; returns at once."""
        self.ended = True
        self.proxy.close()
        self.process.end()


class Ready(NamedTuple):
    """A spare, and whose it is."""

    running: Running
    spare: Spare

    @property
    def spoilt(self) -> bool:
        """Tell whether its browser has ended."""
        return self.running.ended or self.running.process.pipe.closed


class Launcher:
    """Starts browsers of one installation."""

    def __init__(
        self,
        chromium: Path,
        fonts: Path,
        outside: Outside,
        authorities: Path | None,
        *,
        sandbox: bool,
    ) -> None:
        """Start nothing yet."""
        self._chromium = chromium
        self._fonts = fonts
        self._outside = outside
        self._authorities = authorities
        self._sandbox = sandbox

    def start(self) -> Running:
        """Start one; raises BrowserGone when it does not come up, BrowserMissing."""
        installation = self._installation
        process = BrowserProcess(installation, sandbox=self._sandbox)
        try:
            proxy = Proxy(self._outside, partial(self._trust, installation, process.home))
            return Running(process, Arrivals(process.pipe), proxy, installation.font_families)
        except BaseException:
            log.warning("the browser does not start: %s", process.last_words())
            process.kill()
            raise

    @cached_property
    def _installation(self) -> Installation:
        return locate(self._chromium, self._fonts)

    def _trust(self, installation: Installation, home: Path) -> None:
        if self._authorities is None:
            return
        # Most documents verify nobody.
        from chalicelib.engine.browser import authorities  # noqa: PLC0415

        authorities.install(self._authorities, installation, home)
