"""The parts of a page that did not come, or came late: told as warnings, or insisted on."""

import re
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.proxy.budget import TrafficBudget, host_and_port_of
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.ports import ALLOWED_TCP_PORTS

SLOW_S: Final = 2.0
_MAX_WARNINGS: Final = 50
# Whatever a script goes on asking for.
_MAX_RECORDED: Final = 2_000
_MAX_URL_CHARS: Final = 500
# The scheme, and the host without what a password could stand in.
_SCHEME_AND_HOST: Final = re.compile(r"([^:/?#]*:)(?://(?:[^/?#]*@)?([^/?#]*))?")
# A password need stand in no warning.
_USERINFO: Final = re.compile(r"^(https?://)[^/?#]*@")


class _MissingAsset(NamedTuple):
    reason: str
    is_refused: bool


class PageAssets:
    """What is known of one page's parts; its methods are called from two threads."""

    def __init__(self, origin: Callable[[], str]) -> None:
        """Know of nothing; the page's `origin` is our own affair and never told."""
        self._origin = origin
        self._lock = threading.Lock()
        self._missing: dict[str, _MissingAsset] = {}
        self._slow: dict[str, float] = {}

    def record_missing(self, url: str, reason: str, *, is_refused: bool = False) -> None:
        """Keep that a part did not come, `refused` because of its address."""
        address = self._recorded_url(url)
        with self._lock:
            if len(self._missing) < _MAX_RECORDED:
                self._missing.setdefault(address, _MissingAsset(reason, is_refused))

    def record_found(self, url: str) -> None:
        """Keep that a part has come after all: some are asked for twice."""
        with self._lock:
            self._missing.pop(self._recorded_url(url), None)

    def record_slow(self, url: str, seconds: float) -> None:
        """Keep how long a part took, if that was long."""
        if seconds > SLOW_S:
            with self._lock:
                self._slow[shortened_url(url)] = seconds

    def log_lines(self) -> tuple[str, ...]:
        """Return a log line for each place that something did not come from, up to a limit."""
        with self._lock:
            missing = dict(self._missing)
        lines = (
            f"{'refused' if part.is_refused else 'failed'}: {_scheme_and_host(address)}"
            for address, part in missing.items()
        )
        return tuple(dict.fromkeys(lines))[:_MAX_WARNINGS]

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each address, up to a limit."""
        with self._lock:
            missing, slow = dict(self._missing), dict(self._slow)
        failed = [
            RenderWarning(
                "asset_failed",
                f"A part of the page was not loaded: {part.reason}.",
                without_userinfo(address),
            )
            for address, part in missing.items()
        ]
        waited = [
            RenderWarning(
                "slow_asset",
                f"A part of the page took {seconds:.1f} s to load.",
                without_userinfo(address),
            )
            for address, seconds in slow.items()
        ]
        return (*_limited(failed), *_limited(waited))

    def check_complete(self) -> None:
        """Raise RenderFailure `url_not_allowed` or `asset_fetch_failed` if a part is missing."""
        with self._lock:
            missing = dict(self._missing)
        if not missing:
            return
        address, first = next(
            ((address, part) for address, part in missing.items() if part.is_refused),
            next(iter(missing.items())),
        )
        code = "url_not_allowed" if first.is_refused else "asset_fetch_failed"
        more = f" ({len(missing) - 1} more)" if len(missing) > 1 else ""
        message = f"asset_policy is strict, and {without_userinfo(address)} was not loaded: "
        message += f"{first.reason}{more}"
        raise RenderFailure(code, message)

    def _recorded_url(self, url: str) -> str:
        return shortened_url(url.removeprefix(self._origin()))


def shortened_url(url: str) -> str:
    """Return as much of an address as is kept, which does not end within a password."""
    if len(url) > _MAX_URL_CHARS:
        url = without_userinfo(url)
    return url[:_MAX_URL_CHARS]


def without_userinfo(url: str) -> str:
    """Return an address without the user name and password in it."""
    return _USERINFO.sub(r"\1", url)


def _scheme_and_host(url: str) -> str:
    """Return who was asked: never the query, and of another host no path either."""
    found = None if url.startswith("/") else _SCHEME_AND_HOST.match(url)
    if found is None:
        return re.split(r"[?#]", url, maxsplit=1)[0]
    return found[1] if found[2] is None else f"{found[1]}//{found[2]}"


def _limited(warnings: list[RenderWarning]) -> list[RenderWarning]:
    more = len(warnings) - _MAX_WARNINGS
    if more <= 0:
        return warnings
    last = warnings[-1]
    return [*warnings[:_MAX_WARNINGS], RenderWarning(last.code, last.message, f"and {more} more")]


# Pictures, video and sound from http: addresses that are numbers, whatever the settings are.
_BLOCKED_LOG_TEXT: Final = re.compile(
    r"requested an insecure (?:image|video|audio) '(http://[^']*)'\. "
    "This request has been blocked"
)
# `https://user:password@…`, as a document writes it, or a script in it.
_URL_WITH_USERINFO: Final = re.compile(r"""/\\?/[^\s/?#"'<>()\\]*@""")
USERINFO_REASON: Final = (
    "the browser loads no part of a page by an address with a user name or password in it: give "
    "one without them"
)
IP_LITERAL_REASON: Final = (
    "the browser takes pictures and media from http: addresses by a host's name only, not by its "
    "number: use https: or the name"
)


def blocked_url(entry: Mapping[str, Any]) -> str | None:
    """Return the address that a `Log.entryAdded` tells to be blocked, if it does."""
    if entry.get("source") != "security":
        return None
    found = _BLOCKED_LOG_TEXT.search(entry.get("text", ""))
    return None if found is None else found[1]


def has_userinfo(text: str) -> bool:
    """Tell whether an address with a user name in it stands in a document."""
    return _URL_WITH_USERINFO.search(text) is not None


BAD_PORT_REASON: Final = (
    "browsers ask nobody at a port of other services, "
    f"only ports {', '.join(map(str, ALLOWED_TCP_PORTS))} may be reached"
)
# The "bad ports" of the Fetch standard.
_BAD_PORTS: Final = frozenset(
    {
        0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95,
        101, 102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179,
        389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601,
        636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566,
        6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    }
)  # fmt: skip


def has_bad_port(url: str) -> bool:
    """Tell whether it is the port for which the browser has not asked."""
    return urlsplit(url).port in _BAD_PORTS


def failure_reason(traffic: TrafficBudget, url: str, reason: str) -> tuple[str, bool]:
    """Say why a request got no answer, and whether the proxy refused its address.

    `reason` is Chromium's `Network.ErrorReason`.
    """
    place = host_and_port_of(url)
    refused = traffic.refused_hosts.get(place)
    if refused is not None:
        return refused, True
    over = traffic.exceeded_limit(url)
    if over is not None:
        return over, False
    unreachable = traffic.unreachable_hosts.get(place)
    if unreachable is None and reason == "Failed" and has_bad_port(url):
        return BAD_PORT_REASON, True
    return unreachable or f"there was no answer ({reason})", False
