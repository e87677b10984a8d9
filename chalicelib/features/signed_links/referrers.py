"""Pages that may embed a link, by their whole origin."""

import re
from collections.abc import Sequence
from typing import Final

from chalicelib.core.egress_policy import DEFAULT_PORTS

_ORIGIN: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_MAX_PORT: Final = 65_535


def origin(text: str) -> str | None:
    """Return the origin of a text that is one, in its only spelling; None for any other text.

    Scheme and host are in lower case, and the scheme's own port is left out. A host of other
    characters is written as browsers send it, in Punycode.
    """
    found = _ORIGIN.fullmatch(text)
    if found is None:
        return None
    scheme, host = found["scheme"].lower(), found["host"].lower()
    port = int(found["port"] or DEFAULT_PORTS[scheme])
    if not 0 < port <= _MAX_PORT:
        return None
    return f"{scheme}://{host}" + ("" if port == DEFAULT_PORTS[scheme] else f":{port}")


def is_referrer_allowed(allowed: Sequence[str], referrer: str | None) -> bool:
    """Tell whether a page may embed a link that has these origins; none: every page may.

    Nothing before or behind the origin's own characters is skipped: `https://a.example@b.example`
    has no origin here.
    """
    if not allowed:
        return True
    found = _ORIGIN.match(referrer or "")
    if found is None or (referrer or "")[found.end() :][:1] not in {"", "/", "?", "#"}:
        return False
    return origin(found[0]) in allowed
