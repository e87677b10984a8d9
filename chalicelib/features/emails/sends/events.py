"""Events of email sends: a provider has accepted one, or it has failed."""

import datetime as dt
from collections.abc import Mapping
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.ids import derived_id
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.emails.sends.model import EmailSend, SendStatus
from chalicelib.features.emails.sends.present import send_json
from chalicelib.features.emails.sends.reports.repository import ProviderReport, ReportKind
from chalicelib.features.emails.sends.repository import send_of, send_partition
from chalicelib.features.events.model import DomainEvent, EventType

EMAIL_MODEL: Final = "chalicelib.contract.emails.send:EmailSend"
_NOT_REPORTED: Final[Mapping[str, Json]] = {
    "delivered": 0,
    "deferred": 0,
    "bounced": 0,
    "blocked": 0,
    "complained": 0,
    "invalid": 0,
}
EMAIL_EXAMPLE: Final[Mapping[str, Json]] = {
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


def _describe(_event: DomainEvent, row: Row) -> JsonObject:
    return send_json(send_of(row))


EMAIL_SENT: Final = EventType(
    "email.sent",
    _describe,
    summary="The provider, or its sandbox, has accepted an email of a rule",
    model=EMAIL_MODEL,
    example=EMAIL_EXAMPLE,
)
EMAIL_SEND_FAILED: Final = EventType(
    "email.send_failed",
    _describe,
    summary="An email has failed, or its outcome is unknown",
    model=EMAIL_MODEL,
    example={**EMAIL_EXAMPLE, **_SEND_FAILED},
)


def _with_counts(**counts: int) -> Mapping[str, Json]:
    return {**EMAIL_EXAMPLE, "delivery": {**_NOT_REPORTED, **counts}}


EMAIL_DELIVERED: Final = EventType(
    "email.delivered",
    _describe,
    summary="An email was delivered, as the provider reports",
    model=EMAIL_MODEL,
    example=_with_counts(delivered=1),
)
EMAIL_BOUNCED: Final = EventType(
    "email.bounced",
    _describe,
    summary="An email bounced, was blocked, or has an invalid address, as the provider reports",
    model=EMAIL_MODEL,
    example=_with_counts(bounced=1),
)
EMAIL_COMPLAINED: Final = EventType(
    "email.complained",
    _describe,
    summary="A recipient has marked an email as spam, as the provider reports",
    model=EMAIL_MODEL,
    example=_with_counts(delivered=1, complained=1),
)
EMAIL_EVENT_TYPES: Final = (
    EMAIL_SENT,
    EMAIL_SEND_FAILED,
    EMAIL_DELIVERED,
    EMAIL_BOUNCED,
    EMAIL_COMPLAINED,
)
_TYPE_BY_STATUS: Final[Mapping[SendStatus, EventType]] = {
    "sent": EMAIL_SENT,
    "sandboxed": EMAIL_SENT,
    "failed": EMAIL_SEND_FAILED,
    "unknown": EMAIL_SEND_FAILED,
}

_TYPE_BY_REPORT: Final[Mapping[ReportKind, EventType]] = {
    "delivered": EMAIL_DELIVERED,
    "soft_bounce": EMAIL_BOUNCED,
    "hard_bounce": EMAIL_BOUNCED,
    "blocked": EMAIL_BOUNCED,
    "invalid": EMAIL_BOUNCED,
    "spam": EMAIL_COMPLAINED,
}


def send_event(send: EmailSend, now: dt.datetime) -> DomainEvent | None:
    """Return the event of a send's final state, or None if that state has no event."""
    event_type = _TYPE_BY_STATUS.get(send.status)
    if event_type is None:
        return None
    return _event(send, event_type, now, send.request_id)


def report_event(
    send: EmailSend, report: ProviderReport, now: dt.datetime, request_id: str
) -> DomainEvent | None:
    """Return the event of a report on a send, or None if its kind has no event."""
    event_type = _TYPE_BY_REPORT.get(report.kind)
    return event_type and _event(send, event_type, now, request_id, report.id(send))


def _event(
    send: EmailSend, event_type: EventType, now: dt.datetime, request_id: str, *parts: str
) -> DomainEvent:
    return DomainEvent(
        id=derived_id("evt", now, send.id, event_type.name, *parts),
        type=event_type.name,
        workspace_id=send.workspace_id,
        subject=send_partition(send.workspace_id, send.id),
        request_id=request_id,
        created_at=format_rfc3339(now),
    )
