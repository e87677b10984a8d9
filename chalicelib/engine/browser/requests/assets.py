"""Assets of a page: those of its request; missing and slow ones, told as warnings or failures."""

import re
import threading
from itertools import islice
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from pybase64 import b64encode

from chalicelib.contract.options.assets import MAX_ASSET_PATH_CHARS, plain_path
from chalicelib.core.egress_policy import ALLOWED_TCP_PORTS
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json
from chalicelib.core.redact_url import redacted_url, without_userinfo
from chalicelib.engine.assets import AssetFiles, missing_asset_reason
from chalicelib.engine.browser.proxy.budget import TrafficBudget, host_and_port_of
from chalicelib.engine.browser.tab.origin import document_origin, without_origin
from chalicelib.engine.browser.tab.prepared_page import PreparedPage, document_response
from chalicelib.engine.context import RenderWarning

USERINFO_REASON: Final = (
    "the browser loads no part of a page by an address with a user name or password in it: give "
    "one without them"
)
UNREADABLE_PICTURE_REASON: Final = "it is no picture that can be shown"
BAD_PORT_REASON: Final = (
    "browsers ask nobody at a port of other services, "
    f"only ports {', '.join(map(str, ALLOWED_TCP_PORTS))} may be reached"
)
# Fetch Standard, "bad port".
_BAD_PORTS: Final = frozenset(
    {
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
        101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
        389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
        636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
        6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    }
)  # fmt: skip
SLOW_S: Final = 2.0
_REDIRECTS: Final = range(300, 400)
_MAX_WARNINGS: Final = 50
MAX_EXPLAINED: Final = 20
# Bounds the memory that a script with endless requests can use.
_MAX_RECORDED: Final = 2_000
_MAX_URL_CHARS: Final = 500
_MAX_DATA_URL_CHARS: Final = 100
# Scheme and host, without the userinfo.
_SCHEME_AND_HOST: Final = re.compile(r"([^:/?#]*:)(?://(?:[^/?#]*@)?([^/?#]*))?")
# Documents of other types may take style sheets of any media type from their own origin.
_STANDARDS_MODE: Final = re.compile(
    r"\s*(?:<!--(?:[^-]|-(?!->))*+-->\s*)*+<!doctype\s+html(?:\s*>|[^>]{0,40}xhtml 1)",
    re.IGNORECASE,
)
# `//user:password@`, also with the escaped slashes of JSON in scripts.
_URL_WITH_USERINFO: Final = re.compile(r"""/\\?/[^\s/?#"'<>()\\]*@""")


class OwnOrigin:
    """Origin of one document, and its answers there."""

    def __init__(self, prepared_page: PreparedPage) -> None:
        """Answer nothing until a document is served."""
        self._prepared_page = prepared_page
        self._html: str | None = None
        self._assets: AssetFiles = {}
        self._is_strict: bool | None = None

    def serve(self, html: str, assets: AssetFiles) -> str:
        """Serve a document at an origin derived from its text; return its URL."""
        self._prepared_page.origin, self._html = document_origin(html), html
        self._assets = assets
        self._is_strict = _STANDARDS_MODE.match(html) is not None
        return f"{self._prepared_page.origin}/"

    def missing_reason(self, url: str) -> str:
        """Return why the origin has no answer to a URL."""
        return missing_asset_reason(_path_of(url)[:MAX_ASSET_PATH_CHARS], self._assets)

    def holds(self, url: str) -> bool:
        """Tell whether a URL is at this origin."""
        return url.startswith(f"{self._prepared_page.origin}/")

    def asset_bytes(self, url: str) -> int | None:
        """Return the size of the asset of a URL, or None without one."""
        if not self._assets or not self.holds(url):
            return None
        asset = self._assets.get(_path_of(url))
        return None if asset is None else len(asset.content)

    def is_strict_about_sheets(self, url: str, frame: str) -> bool:
        """Tell whether the document served here takes style sheets of a URL by their type only."""
        is_served = self._is_strict is not None and frame == self._prepared_page.frame
        return is_served and (self._is_strict is True or not self.holds(url))

    def take_document(self, request: str) -> dict[str, Json] | None:
        """Return the response to the first request of the page itself, None for a later one."""
        html, self._html = self._html, None
        return None if html is None else document_response(request, html)

    def asset_response(self, request: str, url: str) -> dict[str, Json] | None:
        """Return the response with the asset of a URL, or None without one."""
        if not self._assets or not self.holds(url):
            return None
        asset = self._assets[_path_of(url)]
        # What a style sheet requests elsewhere must not name the origin either (decision 18).
        headers = {"Content-Type": asset.content_type, "Referrer-Policy": "no-referrer"}
        return {
            "requestId": request,
            "responseCode": 200,
            "responseHeaders": [{"name": name, "value": text} for name, text in headers.items()],
            "body": b64encode(asset.content).decode(),
        }


class Refusal(NamedTuple):
    """Why an asset is not loaded; `is_refused` when its URL is not allowed."""

    reason: str
    is_refused: bool = False


class PageAssets:
    """Record of one page's missing and slow assets; its methods are called from two threads."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self._missing: dict[str, Refusal] = {}
        self._redirected: set[str] = set()
        self._slow: dict[str, float] = {}

    def record_missing(self, url: str, reason: str) -> None:
        """Record an asset that failed."""
        self.record_refusal(url, Refusal(reason))

    def record_refusal(self, url: str, refusal: Refusal) -> None:
        """Record an asset that is not loaded."""
        recorded = recorded_url(url)
        with self._lock:
            if len(self._missing) < _MAX_RECORDED:
                self._missing.setdefault(recorded, refusal)

    def record_answer(self, url: str, refusal: Refusal) -> None:
        """Record the failure of a request, in place of an earlier one.

        The browser sends requests of fonts twice, and says of the first one only that it failed.
        """
        recorded = recorded_url(url)
        with self._lock:
            if recorded in self._missing or len(self._missing) < _MAX_RECORDED:
                self._missing[recorded] = refusal

    def record_found(self, url: str, status: int = 200) -> None:
        """Record an answer: an asset may be loaded after a failure, or be redirected."""
        with self._lock:
            self._missing.pop(recorded_url(url), None)
            if status in _REDIRECTS and len(self._redirected) < _MAX_RECORDED:
                self._redirected.add(recorded_url(url))

    def record_unshown(self, url: str, reason: str) -> None:
        """Record an asset that is not shown; for a redirected one its last URL was recorded."""
        with self._lock:
            is_redirected = recorded_url(url) in self._redirected
        if not is_redirected:
            self.record_missing(url, reason)

    def missing_urls(self) -> tuple[str, ...]:
        """Return the URLs of missing assets, as they are reported."""
        with self._lock:
            return tuple(self._missing)

    def record_slow(self, url: str, seconds: float) -> None:
        """Record the load time of an asset, if it exceeds SLOW_S."""
        if seconds > SLOW_S:
            with self._lock:
                self._slow[shortened_url(url)] = seconds

    def log_lines(self) -> tuple[str, ...]:
        """Return a log line for each origin with missing assets, at most 50."""
        with self._lock:
            missing = dict(self._missing)
        lines = (
            f"{'refused' if asset.is_refused else 'failed'}: {scheme_and_host(url)}"
            for url, asset in missing.items()
        )
        return tuple(dict.fromkeys(lines))[:_MAX_WARNINGS]

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each URL, at most 50 of each code."""
        with self._lock:
            missing, slow = dict(self._missing), dict(self._slow)
        failed = [
            RenderWarning(
                "asset_failed",
                f"A part of the page was not loaded: {asset.reason}.",
                redacted_url(url),
            )
            for url, asset in missing.items()
        ]
        delayed = [
            RenderWarning(
                "slow_asset",
                f"A part of the page took {seconds:.1f} s to load.",
                redacted_url(url),
            )
            for url, seconds in slow.items()
        ]
        return (*_first_warnings(failed), *_first_warnings(delayed))

    def explanation(self) -> list[Json]:
        """Return source and reason of each missing asset, at most 20: the contract's Explain."""
        with self._lock:
            missing = list(islice(self._missing.items(), MAX_EXPLAINED))
        return [{"source": redacted_url(url), "reason": asset.reason} for url, asset in missing]

    def check_complete(self) -> None:
        """Raise RenderFailure `url_not_allowed` or `asset_fetch_failed` for a missing asset."""
        with self._lock:
            missing = dict(self._missing)
        if not missing:
            return
        # A refused URL is the caller's to change, so it is reported before other failures.
        url, first = next(
            ((url, asset) for url, asset in missing.items() if asset.is_refused),
            next(iter(missing.items())),
        )
        code = "url_not_allowed" if first.is_refused else "asset_fetch_failed"
        more = f" ({len(missing) - 1} more)" if len(missing) > 1 else ""
        message = f"asset_policy is strict, and {redacted_url(url)} was not loaded: "
        message += f"{first.reason}{more}"
        raise RenderFailure(code, message)


def _path_of(url: str) -> str:
    return plain_path(urlsplit(url).path.removeprefix("/"))


def shortened_url(url: str) -> str:
    """Return a URL of at most 500 characters, without userinfo if it was longer."""
    if len(url) > _MAX_URL_CHARS:
        # A cut within the userinfo would hide it from `without_userinfo`.
        url = without_userinfo(url)
    return url[:_MAX_URL_CHARS]


def has_userinfo(text: str) -> bool:
    """Tell whether a document contains a URL with userinfo."""
    return _URL_WITH_USERINFO.search(text) is not None


def has_bad_port(url: str) -> bool:
    """Tell whether the browser blocks a URL because of its port."""
    return urlsplit(url).port in _BAD_PORTS


def failure_reason(traffic: TrafficBudget, url: str, reason: str) -> tuple[str, bool]:
    """Return why a request got no answer, and whether its URL was refused.

    `reason` is Chromium's `Network.ErrorReason`. The proxy knows the cause of most failures; the
    browser only sees a closed connection.
    """
    host = host_and_port_of(url)
    refusal = traffic.refused_hosts.get(host)
    if refusal is not None:
        return refusal, True
    exceeded = traffic.exceeded_limit(url)
    if exceeded is not None:
        return exceeded, False
    unreachable = traffic.unreachable_hosts.get(host)
    if unreachable is None and reason == "Failed" and has_bad_port(url):
        return BAD_PORT_REASON, True
    return unreachable or f"there was no answer ({reason})", False


def recorded_url(url: str) -> str:
    """Return a URL as it is reported: without the internal origin, and shortened."""
    if url.startswith("data:") and len(url) > _MAX_DATA_URL_CHARS:
        return f"{url[:_MAX_DATA_URL_CHARS]}…"
    return shortened_url(without_origin(url))


def scheme_and_host(url: str) -> str:
    """Return scheme and host, or the path of a URL of the document itself; never the query."""
    match = None if url.startswith("/") else _SCHEME_AND_HOST.match(url)
    if match is None:
        return re.split(r"[?#]", url, maxsplit=1)[0]
    return match[1] if match[2] is None else f"{match[1]}//{match[2]}"


def _first_warnings(warnings: list[RenderWarning]) -> list[RenderWarning]:
    more = len(warnings) - _MAX_WARNINGS
    if more <= 0:
        return warnings
    last = warnings[-1]
    return [*warnings[:_MAX_WARNINGS], RenderWarning(last.code, last.message, f"and {more} more")]
