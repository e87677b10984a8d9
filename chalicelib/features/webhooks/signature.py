"""Signatures of Standard Webhooks, version `v1`."""

import base64
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 -- a prefix
_SECRET_BYTES: Final = 32


def new_secret() -> str:
    """Return a new signing secret: `whsec_` and 32 random bytes in base64."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signature_header(
    secret_texts: Iterable[str], event_id: str, timestamp: int, body: bytes
) -> str:
    """Return `webhook-signature`: one `v1,<base64>` for each secret (interface, Signature)."""
    signed = f"{event_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signature(text, signed)}" for text in secret_texts)


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    return base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
