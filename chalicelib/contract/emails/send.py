"""Email send: one email of a rule, and its state."""

from typing import Annotated, Literal

from pydantic import StringConstraints

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Count, Cursor, PageLimit

FilterId = Annotated[str, StringConstraints(max_length=64)]
EmailProvider = Literal["smtp", "brevo", "postmark", "resend", "ses", "microsoft365"]
EmailSendStatus = Literal[
    "pending",
    "sending",
    "retrying",
    "sent",
    "sandboxed",
    "skipped",
    "failed",
    "unknown",
    "canceled",
]


class EmailAddress(Model):
    """A mailbox."""

    email: str
    name: str | None


class EmailAttachment(Model):
    """A file of the render in an email."""

    file_id: str
    filename: str
    bytes: int
    mode: Literal["attached", "linked"]
    """`linked`: the email has a link that is valid as long as the file, at most 7 days."""


class EmailSendError(Model):
    """The reason why an email failed; it has no texts and no addresses of the email."""

    code: str
    message: str
    field: str | None
    """The field of the rule (`email_template_error`, `email_too_large`)."""
    line: int | None
    """The line in that field, from 1 (`email_template_error`)."""
    column: int | None
    provider_code: str | None
    provider_status: int | None


class EmailDeliveryCounts(Model):
    """Reports of `brevo` by their kind; all 0 with other providers."""

    delivered: Count
    deferred: Count
    bounced: Count
    """Soft and hard bounces."""
    blocked: Count
    complained: Count
    invalid: Count


class EmailSend(Model):
    """One email of a rule in its present state."""

    id: str
    object: Literal["email_send"]
    render_id: str
    batch_id: str | None
    template_id: str
    rule_id: str
    connection_id: str
    status: EmailSendStatus
    """`unknown`: the provider may have taken it, so it is not tried again by itself."""
    skip_reason: Literal["condition_false", "test_mode"] | None
    mode: Literal["live", "sandbox", "redirect", "skip"]
    """`live` for live renders; for test renders the test mode of the connection."""
    test: bool
    sandbox: bool
    """The provider has checked it and delivers nothing."""
    to: list[EmailAddress]
    """Of a redirected email the original recipients."""
    cc_count: Count
    bcc_count: Count
    subject: str | None
    """Null if it was skipped or failed before its subject was made."""
    attachments: list[EmailAttachment]
    provider: EmailProvider
    provider_message_id: str | None
    attempts: Count
    error: EmailSendError | None
    delivery: EmailDeliveryCounts
    resend_of: str | None
    """The email that this one repeats."""
    created_at: str
    sent_at: str | None


class EmailSendQuery(Query):
    """Filters and page of a list of email sends."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    render_id: FilterId | None = None
    batch_id: FilterId | None = None
    status: EmailSendStatus | None = None
    rule_id: FilterId | None = None


class EmailSendList(Model):
    """One page of email sends, newest render first."""

    object: Literal["list"]
    data: list[EmailSend]
    has_more: bool
    next_cursor: str | None


class EmailRecipientsToday(Model):
    """Recipients of live emails of this day (UTC) against the plan's daily cap."""

    recipients: Count
    limit: Count
    resets_at: str


class EmailSendCounts(Model):
    """Email sends by their final state."""

    sent: Count
    sandboxed: Count
    skipped: Count
    failed: Count
    unknown: Count
    canceled: Count


class EmailStats(Model):
    """Statistics of the emails of a workspace."""

    object: Literal["email_stats"]
    today: EmailRecipientsToday
    last_30_days: EmailSendCounts
    """Sends created in the last 30 days."""


class EmailReportQuery(Query):
    """Page of a list of reports."""

    limit: PageLimit = 20
    cursor: Cursor | None = None


class EmailReport(Model):
    """Report of the provider on one recipient of an email."""

    event: Literal[
        "delivered", "deferred", "soft_bounce", "hard_bounce", "blocked", "spam", "invalid"
    ]
    recipient: str
    reason: str
    """The provider's words; may be empty."""
    occurred_at: str


class EmailReportList(Model):
    """One page of reports on an email, the oldest first."""

    object: Literal["list"]
    data: list[EmailReport]
    has_more: bool
    next_cursor: str | None
