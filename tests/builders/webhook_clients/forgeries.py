"""Deliveries made of a genuine one: those to refuse, and others to take."""

import time
from typing import Final

from chalicelib.features.webhooks.signature import new_secret, signature_header
from tests.builders.webhook_clients import Delivery

_TOLERANCE_S: Final = 300


def _with_headers(delivery: Delivery, **headers: str) -> Delivery:
    """Return a delivery with other headers `webhook-…`; an empty one is absent."""
    changed = {f"webhook-{name}": value for name, value in headers.items()}
    return delivery._replace(headers=delivery.headers | changed)


def _signed_at(delivery: Delivery, moment: float) -> Delivery:
    """Return a delivery that its secret has signed at another time."""
    timestamp = int(moment)
    event_id = delivery.headers["webhook-id"]
    signature = signature_header([delivery.secret], event_id, timestamp, delivery.body)
    return _with_headers(delivery, timestamp=str(timestamp), signature=signature)


def still_genuine(delivery: Delivery) -> list[Delivery]:
    """Return deliveries with other forms of a good signature."""
    signature = delivery.headers["webhook-signature"].split(" ")[0]
    others = f"v2,AAAA v1a,{signature[3:]} v1,AAAA"
    return [
        _with_headers(delivery, signature=signature),
        _with_headers(delivery, signature=f"{others} {signature}"),
        _signed_at(delivery, time.time() - _TOLERANCE_S + 60),
        _signed_at(delivery, time.time() + _TOLERANCE_S - 60),
    ]


def forged(delivery: Delivery) -> dict[str, Delivery]:
    """Return forged and old deliveries by what is wrong with them."""
    headers = delivery.headers
    signature = headers["webhook-signature"].split(" ")[0]
    later = str(int(headers["webhook-timestamp"]) + 1)
    return {
        "body": delivery._replace(body=delivery.body.replace(b"succeeded", b"Succeeded", 1)),
        "shorter body": delivery._replace(body=delivery.body[:-1]),
        "secret": delivery._replace(secret=new_secret()),
        "id": _with_headers(delivery, id="evt_1"),
        "timestamp": _with_headers(delivery, timestamp=later),
        "no id": _with_headers(delivery, id=""),
        "no timestamp": _with_headers(delivery, timestamp=""),
        "no signature": _with_headers(delivery, signature=""),
        "timestamp of words": _with_headers(delivery, timestamp="now"),
        "old": _signed_at(delivery, time.time() - _TOLERANCE_S - 60),
        "of the future": _signed_at(delivery, time.time() + _TOLERANCE_S + 60),
        "other version": _with_headers(delivery, signature=f"v2,{signature[3:]}"),
        "no version": _with_headers(delivery, signature=signature[3:]),
        "cut": _with_headers(delivery, signature=signature[:-5]),
        "empty signature": _with_headers(delivery, signature="v1,"),
    }
