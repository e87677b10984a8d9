"""Signature of a link's URL: over path and query, byte for byte as they are sent."""

import hashlib
import hmac
import re
from typing import Final, NamedTuple

from chalicelib.core.ids import sha256_hex

_SIGNED_QUERY: Final = re.compile(r"(?:(?P<query>.*)&)?sig=(?P<sig>[0-9a-f]{64})", re.DOTALL)


class SignedTarget(NamedTuple):
    """Path and query of a URL without the signature, which is not verified yet."""

    text: str
    query: str
    sig: str

    @property
    def digest(self) -> str:
        """Return the digest that names the URL."""
        return sha256_hex(_bytes(self.text))

    def is_signed_with(self, secret: bytes) -> bool:
        """Tell whether the signature is that of the secret, in constant time."""
        return hmac.compare_digest(self.sig, signature(secret, self.text))


def read_target(path: str, query: str) -> SignedTarget:
    """Split a URL from its signature, which stands last; without one `sig` is empty."""
    found = _SIGNED_QUERY.fullmatch(query)
    if found is None:
        return SignedTarget(path, query, "")
    signed = found["query"]
    text = path if signed is None else f"{path}?{signed}"
    return SignedTarget(text, signed or "", found["sig"])


def signature(secret: bytes, target: str) -> str:
    """Return the signature of path and query: HMAC-SHA256 in lower-case hex."""
    return hmac.new(secret, _bytes(target), hashlib.sha256).hexdigest()


def _bytes(target: str) -> bytes:
    # A URL is ASCII; other text has no valid signature, but must not fail.
    return target.encode(errors="replace")
