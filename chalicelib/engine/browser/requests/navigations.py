"""Navigations that a page begins by itself, by script or `meta refresh`."""

import threading
import time
from typing import Final

from chalicelib.core.egress_policy import WEB_PREFIXES
from chalicelib.core.errors import RenderFailure
from chalicelib.core.redact_url import redacted_url, without_userinfo
from chalicelib.engine.browser.requests.assets import (
    USERINFO_REASON,
    Refusal,
    scheme_and_host,
    shortened_url,
)
from chalicelib.engine.browser.requests.log_entries import SCHEME_REASON
from chalicelib.engine.browser.tab.origin import without_origin
from chalicelib.engine.context import RenderWarning

MAX_NAVIGATIONS: Final = 20
_REDIRECT_GRACE_S: Final = 0.5
_MIXED_REASON: Final = "a page at https: may have frames from https: addresses only"
_HTTP: Final = "http://"
_SCRIPT: Final = "javascript:"
_LOADED_SCHEMES: Final = (*WEB_PREFIXES, "data:", "blob:", "about:", _SCRIPT)
_MESSAGE: Final = (
    "The document leads its page to another address, which is not followed. What comes after that "
    "place in the document may be missing."
)


class Navigations:
    """Navigations of one page: followed for a visited page, stopped for an HTML document."""

    def __init__(self) -> None:
        """Start with none."""
        self._lock = threading.Lock()
        self._stopped: dict[str, None] = {}
        self._expected_until = 0.0

    @property
    def is_expected(self) -> bool:
        """Tell whether the request of a navigation is about to come."""
        return time.monotonic() < self._expected_until

    def expect(self, url: str, delay_s: float) -> None:
        """Expect a request within the grace time, if the navigation sends one."""
        if delay_s <= _REDIRECT_GRACE_S and url.startswith(WEB_PREFIXES):
            self._expected_until = time.monotonic() + delay_s + _REDIRECT_GRACE_S

    def end_expectation(self) -> None:
        """End the expectation: the request has come."""
        self._expected_until = 0.0

    def stop(self, url: str) -> None:
        """Record a navigation of a document, which stays where it is."""
        address = without_origin(url)
        if url.startswith(_SCRIPT) or (address != url and "#" in address):
            # A script, or a place in the same document.
            return
        with self._lock:
            if len(self._stopped) < MAX_NAVIGATIONS:
                self._stopped.setdefault(without_userinfo(shortened_url(address)))

    def has_stopped(self, url: str) -> bool:
        """Tell whether a navigation to a URL has been recorded."""
        with self._lock:
            return without_userinfo(shortened_url(without_origin(url))) in self._stopped

    def addresses(self) -> tuple[str, ...]:
        """Return where the document leads its page to, at most 20 addresses."""
        with self._lock:
            return tuple(map(redacted_url, self._stopped))

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each address."""
        return tuple(
            RenderWarning("navigation_stopped", _MESSAGE, address) for address in self.addresses()
        )

    def log_lines(self) -> tuple[str, ...]:
        """Return a log line for each address, by its scheme and host."""
        return tuple(f"refused: {scheme_and_host(address)}" for address in self.addresses())

    def check_none(self) -> None:
        """Raise RenderFailure `url_not_allowed` if the document leads its page elsewhere."""
        if addresses := self.addresses():
            message = (
                f"asset_policy is strict, and the document leads its page to {addresses[0]}: a "
                "document may not lead its page elsewhere"
            )
            raise RenderFailure("url_not_allowed", message)


def frame_refusal(url: str, *, is_secure: bool) -> Refusal | None:
    """Return why the browser blocks the URL of a frame without a request to intercept, or None."""
    if without_userinfo(url) != url:
        return Refusal(USERINFO_REASON)
    if url.startswith(_HTTP) and is_secure:
        return Refusal(_MIXED_REASON, is_refused=True)
    return None if url.startswith(_LOADED_SCHEMES) else Refusal(SCHEME_REASON)
