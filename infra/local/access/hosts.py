"""Names of this machine: a page whose own name is made to resolve to it is refused."""

from typing import Final

_NAMES: Final = ("127.0.0.1", "localhost")
REFUSAL: Final = f"This port answers to {' and '.join(_NAMES)} only.\n"


def is_own_host(header: str | None) -> bool:
    """Tell whether a Host header names this machine, at any port: one may be forwarded."""
    name, _, port = (header or "").lower().partition(":")
    return name in _NAMES and ((port.isascii() and port.isdecimal()) or not port)
