"""Launch of a browser: process, DevTools targets and proxy."""

import logging
from functools import cached_property, partial
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.engine.browser.chromium.installation import BrowserInstallation, locate_browser
from chalicelib.engine.browser.chromium.process import BrowserProcess
from chalicelib.engine.browser.proxy.server import ProxyServer
from chalicelib.engine.browser.tab.prepared_page import NewTargets, PreparedPage
from chalicelib.engine.ports import Egress
from chalicelib.engine.sandbox.walls import Walls

log = logging.getLogger(__name__)


class RunningBrowser:
    """Browser process with its proxy; `prepared_count` pages were prepared in it."""

    def __init__(
        self,
        process: BrowserProcess,
        new_targets: NewTargets,
        proxy: ProxyServer,
        font_families: Path,
    ) -> None:
        """Take over the started parts."""
        self.process: Final = process
        self.new_targets: Final = new_targets
        self.proxy: Final = proxy
        self.font_families: Final = font_families
        self.prepared_count = 0
        self.has_ended = False

    def end(self) -> None:
        """Cut all connections and request the end of the process; return at once."""
        self.has_ended = True
        self.proxy.close()
        self.process.end()


class PooledPage(NamedTuple):
    """Prepared page and the browser that it belongs to.

    With a `lane` only its documents may use it: `position` - 1 of them came before in its context.
    Without a lane it is unused and free for any document.
    """

    browser: RunningBrowser
    page: PreparedPage
    lane: str | None = None
    position: int = 1

    @property
    def is_dead(self) -> bool:
        """Tell whether the page is lost, because its browser has ended."""
        return self.browser.has_ended or self.browser.process.pipe.is_closed


class BrowserLauncher:
    """Launcher of browsers of one installation."""

    def __init__(
        self,
        chromium: Path,
        fonts: Path,
        egress: Egress,
        ca_bundle: Path | None,
        *,
        sandbox: bool,
        walls: Walls,
    ) -> None:
        """Keep the settings; start nothing yet.

        `ca_bundle` is a PEM file of further trusted authorities. `walls` admits a browser that
        lacks some.
        """
        self._chromium = chromium
        self._fonts = fonts
        self._egress = egress
        self._ca_bundle = ca_bundle
        self._sandbox = sandbox
        self._walls = walls

    def start(self) -> RunningBrowser:
        """Start a browser; raises BrowserGoneError if it does not come up, or WallsMissingError."""
        installation = self._installation
        process = BrowserProcess(installation, self._walls, sandbox=self._sandbox)
        try:
            proxy = ProxyServer(
                self._egress, partial(self._install_authorities, installation, process.home)
            )
            return RunningBrowser(
                process, NewTargets(process.pipe), proxy, installation.font_families
            )
        except BaseException:
            log.warning("browser start failed: %s", process.stderr_tail())
            process.kill()
            raise

    @cached_property
    def _installation(self) -> BrowserInstallation:
        return locate_browser(self._chromium, self._fonts)

    def _install_authorities(self, installation: BrowserInstallation, home: Path) -> None:
        if self._ca_bundle is None:
            return
        # Imported on the first TLS connection only: most documents make none (decision 7).
        from chalicelib.engine.browser.chromium import authorities  # noqa: PLC0415

        authorities.install(self._ca_bundle, installation, home)
