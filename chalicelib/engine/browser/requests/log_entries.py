"""Failures of assets that only the browser's log tells, as it requests nothing for them."""

import re
from typing import Final, NamedTuple

from chalicelib.core.egress_policy import WEB_PREFIXES
from chalicelib.engine.browser.chromium.protocol import LogEntry
from chalicelib.engine.browser.requests.assets import Refusal

_IP_LITERAL_REASON: Final = (
    "the browser takes pictures and media from http: addresses by a host's name only, not by its "
    "number: use https: or the name"
)
SCHEME_REASON: Final = "only http:, https: and data: addresses are loaded"
_LOCAL_REASON: Final = f"a document sees no files of a machine: {SCHEME_REASON}"
_CORS_REASON: Final = "its server does not let other origins use it (Access-Control-Allow-Origin)"
_FONT_REASON: Final = "it is no font that can be read"
_DATA_REASON: Final = "it is no address that can be read"
# Chromium blocks images and media from http: IP addresses regardless of its settings (decision 18).
_IP_LITERAL: Final = re.compile(
    r"requested an insecure (?:image|video|audio) '(http://[^']*)'\. "
    "This request has been blocked"
)
_REASONS: Final = (
    (re.compile(r"Not allowed to load local resource: (.+)", re.DOTALL), _LOCAL_REASON),
    (re.compile(r"Failed to decode downloaded font: (.+)", re.DOTALL), _FONT_REASON),
    (re.compile(r"Fetch API cannot load (.+)\. URL scheme ", re.DOTALL), SCHEME_REASON),
    (re.compile(r"Access to .{1,40} at '(.+?)' .*blocked by CORS policy", re.DOTALL), _CORS_REASON),
)


class LoggedFailure(NamedTuple):
    """Asset that was not loaded."""

    url: str
    refusal: Refusal


def logged_failure(entry: LogEntry) -> LoggedFailure | None:
    """Return the failed asset that a `Log.entryAdded` event tells, or None."""
    text = entry["text"]
    if (match := _IP_LITERAL.search(text)) is not None and entry["source"] == "security":
        return LoggedFailure(match[1], Refusal(_IP_LITERAL_REASON, is_refused=True))
    # A request by a data: URL that cannot be decoded is not intercepted.
    if entry["source"] == "network" and (url := entry.get("url", "")).startswith("data:"):
        return LoggedFailure(url, Refusal(_DATA_REASON))
    for pattern, reason in _REASONS:
        if (match := pattern.match(text)) is not None:
            url, is_web = match[1], match[1].startswith(WEB_PREFIXES)
            told = SCHEME_REASON if reason == _CORS_REASON and not is_web else reason
            return LoggedFailure(url, Refusal(told))
    return None
