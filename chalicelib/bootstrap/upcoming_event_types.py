"""Event types of the contract that nothing sends yet.

The feature that sends one takes its row over, adds `describe`, and is listed in `event_types.py`.
"""

from collections.abc import Mapping
from typing import Final

from chalicelib.core.json import Json
from chalicelib.features.emails.sends.events import EMAIL_EXAMPLE, EMAIL_MODEL
from chalicelib.features.events.model import EventType

_STORAGE_UPLOAD: Final[Mapping[str, Json]] = {
    "id": "sup_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "object": "storage_upload",
    "render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "file_id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "destination_id": "dst_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "key": "invoices/INV-2026-0042.pdf",
    "attempts": 1,
    "error": {
        "code": "storage_denied",
        "message": "The store refused the credentials.",
        "status": 403,
    },
}


def _email_with_counts(**counts: int) -> Mapping[str, Json]:
    delivery = EMAIL_EXAMPLE["delivery"]
    assert isinstance(delivery, Mapping)
    return {**EMAIL_EXAMPLE, "delivery": {**delivery, **counts}}


UPCOMING_EVENT_TYPES: Final = (
    EventType(
        "email.delivered",
        summary="An email was delivered, as the provider reports",
        model=EMAIL_MODEL,
        example=_email_with_counts(delivered=1),
    ),
    EventType(
        "email.bounced",
        summary="An email bounced, was blocked, or has an invalid address, as the provider reports",
        model=EMAIL_MODEL,
        example=_email_with_counts(bounced=1),
    ),
    EventType(
        "email.complained",
        summary="A recipient has marked an email as spam, as the provider reports",
        model=EMAIL_MODEL,
        example=_email_with_counts(delivered=1, complained=1),
    ),
    EventType(
        "storage.upload_failed",
        summary="An upload to a storage destination has failed for good",
        model="chalicelib.contract.storage.upload:StorageUpload",
        example=_STORAGE_UPLOAD,
    ),
)
