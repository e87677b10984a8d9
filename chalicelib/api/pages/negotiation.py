"""Negotiation of content: what a client prefers, can decode and already has (RFC 9110, 12 and 13).

A malformed member of a header is ignored.
"""

import re
from typing import Final

_WEIGHT: Final = re.compile(r"q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)")
_ETAG: Final = re.compile(r'(?:W/)?("[^"]*")')


def prefers_html(accept: str, *, otherwise: bool) -> bool:
    """Tell whether an Accept header asks for a page rather than JSON.

    `otherwise` is the answer for a header that weighs both alike, as `*/*` and no header do.
    """
    html = _weight(accept, "text/html", "text/*", "*/*")
    json = _weight(accept, "application/json", "application/*", "*/*")
    return otherwise if html == json else html > json


def takes_coding(accept_encoding: str, coding: str) -> bool:
    """Tell whether an Accept-Encoding header allows a coding, such as `gzip`."""
    return _weight(accept_encoding, coding, "*") > 0


def has_current(if_none_match: str, etag: str) -> bool:
    """Tell whether an If-None-Match header names an ETag, by the weak comparison."""
    if if_none_match.strip() == "*":
        return True
    return etag.removeprefix("W/") in _ETAG.findall(if_none_match)


def _weight(header: str, *names: str) -> float:
    """Return the weight of the first of these names that a header has; 0 if it has none."""
    weights: dict[str, float] = {}
    for member in header.lower().split(","):
        name, *parameters = (part.strip() for part in member.split(";"))
        weight = next((each for each in parameters if each.startswith("q=")), "q=1")
        if found := _WEIGHT.fullmatch(weight):
            weights.setdefault(name, float(found[1]))
    return next((weights[name] for name in names if name in weights), 0)
