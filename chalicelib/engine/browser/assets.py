"""The parts of a page that did not come, or came late: told as warnings, or insisted on."""

import re
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import RenderWarning

SLOW_S: Final = 2.0
_MOST_WARNINGS: Final = 50
# Whatever a script goes on asking for.
_MOST_KEPT: Final = 2_000
_ADDRESS_CHARS: Final = 500
# The scheme, and the host without what a password could stand in.
_PLACE: Final = re.compile(r"([^:/?#]*:)(?://(?:[^/?#]*@)?([^/?#]*))?")
# A password need stand in no warning.
_USER: Final = re.compile(r"^(https?://)[^/?#]*@")


class _Missing(NamedTuple):
    why: str
    refused: bool


class Assets:
    """What is known of one page's parts; its methods are called from two threads."""

    def __init__(self, origin: Callable[[], str]) -> None:
        """Know of nothing; the page's `origin` is our own affair and never told."""
        self._origin = origin
        self._lock = threading.Lock()
        self._missing: dict[str, _Missing] = {}
        self._slow: dict[str, float] = {}

    def miss(self, url: str, why: str, *, refused: bool = False) -> None:
        """Keep that a part did not come, `refused` because of its address."""
        address = self._address(url)
        with self._lock:
            if len(self._missing) < _MOST_KEPT:
                self._missing.setdefault(address, _Missing(why, refused))

    def find(self, url: str) -> None:
        """Keep that a part has come after all: some are asked for twice."""
        with self._lock:
            self._missing.pop(self._address(url), None)

    def late(self, url: str, seconds: float) -> None:
        """Keep how long a part took, if that was long."""
        if seconds > SLOW_S:
            with self._lock:
                self._slow[cut(url)] = seconds

    def lines(self) -> tuple[str, ...]:
        """Return a log line for each place that something did not come from, up to a limit."""
        with self._lock:
            missing = dict(self._missing)
        lines = (
            f"{'refused' if part.refused else 'failed'}: {_place(address)}"
            for address, part in missing.items()
        )
        return tuple(dict.fromkeys(lines))[:_MOST_WARNINGS]

    def warnings(self) -> tuple[RenderWarning, ...]:
        """Return a warning for each address, up to a limit."""
        with self._lock:
            missing, slow = dict(self._missing), dict(self._slow)
        failed = [
            RenderWarning(
                "asset_failed",
                f"A part of the page was not loaded: {part.why}.",
                without_user(address),
            )
            for address, part in missing.items()
        ]
        waited = [
            RenderWarning(
                "slow_asset",
                f"A part of the page took {seconds:.1f} s to load.",
                without_user(address),
            )
            for address, seconds in slow.items()
        ]
        return (*_some(failed), *_some(waited))

    def insist(self) -> None:
        """Raise RenderFailure `url_not_allowed` or `asset_fetch_failed` if a part is missing."""
        with self._lock:
            missing = dict(self._missing)
        if not missing:
            return
        address, first = next(
            ((address, part) for address, part in missing.items() if part.refused),
            next(iter(missing.items())),
        )
        code = "url_not_allowed" if first.refused else "asset_fetch_failed"
        more = f" ({len(missing) - 1} more)" if len(missing) > 1 else ""
        message = f"asset_policy is strict, and {without_user(address)} was not loaded: "
        message += f"{first.why}{more}"
        raise RenderFailure(code, message)

    def _address(self, url: str) -> str:
        return cut(url.removeprefix(self._origin()))


def cut(address: str) -> str:
    """Return as much of an address as is kept, which does not end within a password."""
    if len(address) > _ADDRESS_CHARS:
        address = without_user(address)
    return address[:_ADDRESS_CHARS]


def without_user(address: str) -> str:
    """Return an address without the user name and password in it."""
    return _USER.sub(r"\1", address)


def _place(address: str) -> str:
    """Return who was asked: never the query, and of another host no path either."""
    found = None if address.startswith("/") else _PLACE.match(address)
    if found is None:
        return re.split(r"[?#]", address, maxsplit=1)[0]
    return found[1] if found[2] is None else f"{found[1]}//{found[2]}"


def _some(warnings: list[RenderWarning]) -> list[RenderWarning]:
    more = len(warnings) - _MOST_WARNINGS
    if more <= 0:
        return warnings
    last = warnings[-1]
    return [*warnings[:_MOST_WARNINGS], RenderWarning(last.code, last.message, f"and {more} more")]
