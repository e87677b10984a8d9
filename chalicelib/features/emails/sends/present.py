"""Email sends as the API and webhooks show them."""

from chalicelib.core.json import Json
from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.sends.model import DELIVERY_NAMES, EmailSend


def send_json(send: EmailSend) -> dict[str, Json]:
    """Return the send object."""
    return {
        "id": send.id,
        "object": "email_send",
        "render_id": send.render_id,
        "batch_id": send.batch_id,
        "template_id": send.template_id,
        "rule_id": send.rule_id,
        "connection_id": send.connection_id,
        "status": send.status,
        "skip_reason": send.skip_reason,
        "mode": send.mode,
        "test": send.test,
        "sandbox": send.status == "sandboxed",
        "to": [_mailbox_json(mailbox) for mailbox in send.to],
        "cc_count": send.cc_count,
        "bcc_count": send.bcc_count,
        "subject": send.subject,
        "attachments": [attachment._asdict() for attachment in send.attachments],
        "provider": send.provider,
        "provider_message_id": send.provider_message_id,
        "attempts": send.attempts,
        "error": None if send.error is None else send.error._asdict(),
        "delivery": {name: getattr(send, name) for name in DELIVERY_NAMES},
        "resend_of": send.resend_of,
        "created_at": send.created_at,
        "sent_at": send.sent_at,
    }


def render_email_json(send: EmailSend) -> dict[str, Json]:
    """Return the send as its render shows it."""
    shown = send_json(send)
    names = ("id", "rule_id", "status", "provider_message_id", "error", "sent_at")
    return {**{name: shown[name] for name in names}, "to": [mailbox.email for mailbox in send.to]}


def _mailbox_json(mailbox: Mailbox) -> dict[str, Json]:
    return {"email": mailbox.email, "name": mailbox.name}
