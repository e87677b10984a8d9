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
    """The address."""
    name: str | None
    """The name; null without one."""


class EmailAttachment(Model):
    """A file of the render in an email."""

    file_id: str
    """Id of the file, `file_…`."""
    filename: str
    """Name of the file, with its extension."""
    bytes: int
    """Size of the file, in bytes."""
    mode: Literal["attached", "linked"]
    """`linked`: the email has a link that is valid as long as the file, at most 7 days."""


class EmailSendError(Model):
    """The reason why an email failed; it has no texts and no addresses of the email."""

    code: str
    """Code of the error, such as `email_address_invalid`."""
    message: str
    """What happened and what to change, for people."""
    field: str | None
    """The field of the rule, such as `subject`; null for errors other than `email_template_error`
    and `email_too_large`."""
    line: int | None
    """The line in that field, from 1; null if unknown (`email_template_error`)."""
    column: int | None
    """The column in that line, from 1; null if unknown (`email_template_error`)."""
    provider_code: str | None
    """The provider's own code; null without one."""
    provider_status: int | None
    """The status or reply code of the provider's answer; null without one."""


class EmailDeliveryCounts(Model):
    """Reports of `brevo` by their kind; all 0 with other providers."""

    delivered: Count
    """Reports that it was delivered."""
    deferred: Count
    """Reports that the delivery is tried again later."""
    bounced: Count
    """Reports of soft and hard bounces."""
    blocked: Count
    """Reports that the provider did not send it."""
    complained: Count
    """Reports that a recipient marked it as spam."""
    invalid: Count
    """Reports that an address does not exist."""


class EmailSend(Model):
    """One email of a rule in its present state."""

    id: str
    """Id of the email send, `ems_…`."""
    object: Literal["email_send"]
    render_id: str
    """Id of the render whose files it carries, `rnd_…`."""
    batch_id: str | None
    """Id of the render's batch, `bat_…`; null without one."""
    template_id: str
    """Id of the render's template, `tpl_…`."""
    rule_id: str
    """Id of the email rule, `emr_…`."""
    connection_id: str
    """Id of the email connection, `emc_…`."""
    status: EmailSendStatus
    """`unknown`: the provider may have taken it, so it is not tried again by itself."""
    skip_reason: Literal["condition_false", "test_mode"] | None
    """Why it was skipped: `condition_false` (the rule's condition), or `test_mode` (the connection
    skips emails of test renders). Null unless it is `skipped`."""
    mode: Literal["live", "sandbox", "redirect", "skip"]
    """`live` for live renders; for test renders the test mode of the connection."""
    test: bool
    """Whether it is an email of a test render."""
    sandbox: bool
    """The provider has checked it and delivers nothing."""
    to: list[EmailAddress]
    """Recipients; of a redirected email the original ones."""
    cc_count: Count
    """Number of addresses that get a copy."""
    bcc_count: Count
    """Number of addresses that get a hidden copy."""
    subject: str | None
    """Null if it was skipped or failed before its subject was made."""
    attachments: list[EmailAttachment]
    """The files of the email, attached or linked."""
    provider: EmailProvider
    """The provider of the connection."""
    provider_message_id: str | None
    """The provider's id of the email; null before it is sent, and where the provider has none
    (`microsoft365`)."""
    attempts: Count
    """How many times it was handed to the provider."""
    error: EmailSendError | None
    """Why it failed; null without an error. With `sent`: how many recipients were refused."""
    delivery: EmailDeliveryCounts
    """What the provider has reported since."""
    resend_of: str | None
    """Id of the email that this one repeats, `ems_…`; null without one."""
    created_at: str
    sent_at: str | None
    """When the provider accepted it; null before."""


class EmailSendQuery(Query):
    """Filters and page of a list of email sends."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    render_id: FilterId | None = None
    """Emails of this render only, `rnd_…`."""
    batch_id: FilterId | None = None
    """Emails of this batch only, `bat_…`."""
    status: EmailSendStatus | None = None
    """Emails in this state only."""
    rule_id: FilterId | None = None
    """Emails of this rule only, `emr_…`."""


class EmailSendList(Model):
    """One page of email sends, newest render first."""

    object: Literal["list"]
    data: list[EmailSend]
    """Emails of this page."""
    has_more: bool
    next_cursor: str | None


class EmailRecipientsToday(Model):
    """Recipients of live emails of this day (UTC) against the plan's daily cap."""

    recipients: Count
    """Recipients of live emails so far."""
    limit: Count
    """Recipients that the plan allows in a day."""
    resets_at: str
    """When the day ends."""


class EmailSendCounts(Model):
    """Email sends by their final state."""

    sent: Count
    """Emails that the provider has accepted."""
    sandboxed: Count
    """Emails that the provider has checked and does not deliver."""
    skipped: Count
    """Emails that were not to be sent."""
    failed: Count
    """Emails that failed."""
    unknown: Count
    """Emails that the provider may have taken."""
    canceled: Count
    """Emails that were canceled while they waited."""


class EmailStats(Model):
    """Statistics of the emails of a workspace."""

    object: Literal["email_stats"]
    today: EmailRecipientsToday
    """Recipients of today (UTC) against the daily cap."""
    last_30_days: EmailSendCounts
    """Emails created in the last 30 days, by state."""


class EmailReportQuery(Query):
    """Page of a list of reports."""

    limit: PageLimit = 20
    cursor: Cursor | None = None


class EmailReport(Model):
    """Report of the provider on one recipient of an email."""

    event: Literal[
        "delivered", "deferred", "soft_bounce", "hard_bounce", "blocked", "spam", "invalid"
    ]
    """What the provider reports."""
    recipient: str
    """Address of the recipient."""
    reason: str
    """The provider's words; may be empty."""
    occurred_at: str
    """When it happened, as the provider says."""


class EmailReportList(Model):
    """One page of reports on an email, the oldest first."""

    object: Literal["list"]
    data: list[EmailReport]
    """Reports of this page."""
    has_more: bool
    next_cursor: str | None
