"""Event types of the contract that nothing sends yet.

The feature that sends one takes its row over, adds `describe`, and is listed in `event_types.py`.
"""

from collections.abc import Mapping
from typing import Final

from chalicelib.core.json import Json
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
_EMAIL_MODEL: Final = "chalicelib.contract.emails.send:EmailSend"
_NOT_REPORTED: Final[Mapping[str, Json]] = {
    "delivered": 0,
    "deferred": 0,
    "bounced": 0,
    "blocked": 0,
    "complained": 0,
    "invalid": 0,
}
_EMAIL: Final[Mapping[str, Json]] = {
    "id": "ems_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "object": "email_send",
    "render_id": "rnd_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "batch_id": None,
    "template_id": "tpl_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "rule_id": "emr_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "connection_id": "emc_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
    "status": "sent",
    "skip_reason": None,
    "mode": "live",
    "test": False,
    "sandbox": False,
    "to": [{"email": "ada@example.com", "name": "Ada"}],
    "cc_count": 0,
    "bcc_count": 1,
    "subject": "Invoice INV-2026-0042",
    "attachments": [
        {
            "file_id": "file_01J8Z6Y3K4M5N6P7Q8R9S0T1V2",
            "filename": "INV-2026-0042.pdf",
            "bytes": 18_204,
            "mode": "attached",
        }
    ],
    "provider": "brevo",
    "provider_message_id": "<202601311200.4711@example.com>",
    "attempts": 1,
    "error": None,
    "delivery": _NOT_REPORTED,
    "resend_of": None,
    "created_at": "2026-01-31T12:00:00.252Z",
    "sent_at": "2026-01-31T12:00:01.040Z",
}
_SEND_FAILED: Final[Mapping[str, Json]] = {
    "status": "failed",
    "provider_message_id": None,
    "error": {
        "code": "email_provider_rejected",
        "message": "The provider refused the email.",
        "field": None,
        "line": None,
        "column": None,
        "provider_code": "invalid_parameter",
        "provider_status": 400,
    },
    "sent_at": None,
}


def _email_with_counts(**counts: int) -> Mapping[str, Json]:
    return {**_EMAIL, "delivery": {**_NOT_REPORTED, **counts}}


UPCOMING_EVENT_TYPES: Final = (
    EventType(
        "storage.upload_failed",
        summary="An upload to a storage destination has failed for good",
        model="chalicelib.contract.storage.upload:StorageUpload",
        example=_STORAGE_UPLOAD,
    ),
    EventType(
        "email.sent",
        summary="The provider, or its sandbox, has accepted an email of a rule",
        model=_EMAIL_MODEL,
        example=_EMAIL,
    ),
    EventType(
        "email.send_failed",
        summary="An email has failed, or its outcome is unknown",
        model=_EMAIL_MODEL,
        example={**_EMAIL, **_SEND_FAILED},
    ),
    EventType(
        "email.delivered",
        summary="An email was delivered, as the provider reports",
        model=_EMAIL_MODEL,
        example=_email_with_counts(delivered=1),
    ),
    EventType(
        "email.bounced",
        summary="An email bounced, was blocked, or has an invalid address, as the provider reports",
        model=_EMAIL_MODEL,
        example=_email_with_counts(bounced=1),
    ),
    EventType(
        "email.complained",
        summary="A recipient has marked an email as spam, as the provider reports",
        model=_EMAIL_MODEL,
        example=_email_with_counts(delivered=1, complained=1),
    ),
)
