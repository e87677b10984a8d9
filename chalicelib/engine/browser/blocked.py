"""What the browser blocks by itself, before it would be asked for: only its log tells."""

import re
from collections.abc import Mapping
from typing import Any, Final

# Pictures, video and sound from http: addresses that are numbers, whatever the settings are.
_BLOCKED: Final = re.compile(
    r"requested an insecure (?:image|video|audio) '(http://[^']*)'\. "
    "This request has been blocked"
)
# `https://user:password@…`, as a document writes it, or a script in it.
_WITH_USER: Final = re.compile(r"""/\\?/[^\s/?#"'<>()\\]*@""")
WHY_WITH_USER: Final = (
    "the browser loads no part of a page by an address with a user name or password in it: give "
    "one without them"
)
WHY_BY_NUMBER: Final = (
    "the browser takes pictures and media from http: addresses by a host's name only, not by its "
    "number: use https: or the name"
)


def address_in(entry: Mapping[str, Any]) -> str | None:
    """Return the address that a `Log.entryAdded` tells to be blocked, if it does."""
    if entry.get("source") != "security":
        return None
    found = _BLOCKED.search(entry.get("text", ""))
    return None if found is None else found[1]


def has_user(text: str) -> bool:
    """Tell whether an address with a user name in it stands in a document."""
    return _WITH_USER.search(text) is not None
