"""Headers and signatures of Standard Webhooks, version `v1`."""

import base64
import hmac
import secrets
from collections.abc import Iterable, Mapping
from typing import Final

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 -- a prefix
_SECRET_BYTES: Final = 32
_USER_AGENT: Final = "Platen-Webhooks/1.0"


def new_secret() -> str:
    """Return a new signing secret: `whsec_` and 32 random bytes in base64."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def signed_headers(
    secret_texts: Iterable[str], event_id: str, timestamp: int, body: bytes
) -> Mapping[str, str]:
    """Return the service's own headers of a webhook (interface, Delivery format)."""
    return {
        "content-type": "application/json",
        "user-agent": _USER_AGENT,
        "webhook-id": event_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature_header(secret_texts, event_id, timestamp, body),
    }


def signature_header(
    secret_texts: Iterable[str], event_id: str, timestamp: int, body: bytes
) -> str:
    """Return `webhook-signature`: one `v1,<base64>` for each secret (interface, Signature)."""
    signed = f"{event_id}.{timestamp}.".encode() + body
    return " ".join(f"v1,{_signature(text, signed)}" for text in secret_texts)


def _signature(secret: str, signed: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    return base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
