"""Hashes."""

import hashlib


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 of the data, lower-case hex."""
    return hashlib.sha256(data).hexdigest()
