"""Check of URLs that a workspace enters (webhooks, stores), before any lookup (decision 15)."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

from chalicelib.core.egress_policy import (
    ALLOWED_TCP_PORTS,
    DEFAULT_PORTS,
    WEB_PREFIXES,
    EgressPolicy,
    admission_advice,
)
from chalicelib.core.errors import FieldError, ServiceError, validation_error

# What a browser would drop, or read as another character.
_UNSAFE: Final = frozenset("\\ \t\r\n\f\v") | {chr(code) for code in range(32)} | {"\x7f"}


class CheckTargetUrl:
    """Check of URLs; egress checks the addresses that a name leads to, at each attempt."""

    def __init__(self, rules: EgressPolicy, local_advice: str = "") -> None:
        """Check by the rules of this deployment.

        `local_advice` ends the refusal of an address that is not public: what else can be done.
        """
        self._rules = rules
        self._local_advice = local_advice

    def __call__(self, url: str, pointer: str) -> bool:
        """Return whether a URL may get live data: it has https, or is exempted.

        Raises `validation_error` for form, scheme and credentials, and `url_not_allowed` for an
        address or a port, with this pointer.
        """
        parts = _parts(url, pointer)
        host, port = parts.hostname or "", parts.port or DEFAULT_PORTS[parts.scheme]
        refusal = self._rules.literal_refusal(host, port, ALLOWED_TCP_PORTS)
        if refusal is not None:
            if advice := admission_advice(host, port):
                refusal += advice + self._local_advice
            errors = [FieldError(pointer, "not_allowed", refusal)]
            raise ServiceError("url_not_allowed", f"{refusal}.", errors=errors)
        return parts.scheme == "https" or self._rules.is_exempt_literal(host, port)


def fetch_refusal(rules: EgressPolicy, url: str) -> str | None:
    """Return why a URL that a render gets is refused without any lookup, or None.

    Only a browser can check some names, such as those with letters beyond a-z: they pass here.
    """
    if not url.lower().startswith(WEB_PREFIXES):
        return "must begin with https:// or http://"
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError:
        return None
    host = parts.hostname or ""
    if not host or not host.isascii() or "%" in host:
        return None
    refusal = rules.literal_refusal(host, port, ALLOWED_TCP_PORTS)
    return None if refusal is None else refusal + admission_advice(host, port)


def url_advice(url: str) -> str:
    """Return the end of the refusal of a URL: what admits its address; empty for a public one."""
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except (ValueError, KeyError):
        return ""
    return admission_advice(parts.hostname or "", port)


def _parts(url: str, pointer: str) -> SplitResult:
    if not _UNSAFE.isdisjoint(url):
        raise validation_error(pointer, "has a character that no URL has", "invalid")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise validation_error(pointer, "is no URL", "invalid") from None
    if parts.scheme not in DEFAULT_PORTS:
        raise validation_error(pointer, "must begin with https:// or http://", "invalid")
    if not parts.hostname or port == 0 or not parts.netloc.isascii():
        message = "needs a host in ASCII"
        raise validation_error(pointer, message, "invalid")
    # A URL is shown and logged; credentials in it would be, too.
    if parts.username is not None or parts.password is not None:
        message = "has no user name and no password: a header carries them"
        raise validation_error(pointer, message, "invalid")
    return parts
