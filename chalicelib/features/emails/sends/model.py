"""Email send, its states, and how they are counted."""

from collections.abc import Mapping
from copy import replace
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from chalicelib.core.ids import RenderId, SendId, WorkspaceId
from chalicelib.core.mailbox import Mailbox

type SendStatus = Literal[
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
type SendMode = Literal["live", "sandbox", "redirect", "skip"]
type SkipReason = Literal["condition_false", "test_mode"]
# Statuses as renders, batches and statistics count them.
type CountName = Literal["sent", "failed", "unknown", "pending", "skipped", "canceled"]

OPEN_STATUSES: Final = ("pending", "sending", "retrying")
COUNT_NAMES: Final[tuple[CountName, ...]] = (
    "sent",
    "failed",
    "unknown",
    "pending",
    "skipped",
    "canceled",
)
# Counts of what the provider has reported of recipients.
DELIVERY_NAMES: Final = ("delivered", "deferred", "bounced", "blocked", "complained", "invalid")
STATISTIC_NAMES: Final[tuple[SendStatus, ...]] = (
    "sent",
    "sandboxed",
    "skipped",
    "failed",
    "unknown",
    "canceled",
)
_COUNT_NAME_BY_STATUS: Final[Mapping[SendStatus, CountName]] = {
    "pending": "pending",
    "sending": "pending",
    "retrying": "pending",
    "sent": "sent",
    "sandboxed": "sent",
    "skipped": "skipped",
    "failed": "failed",
    "unknown": "unknown",
    "canceled": "canceled",
}


class SendError(NamedTuple):
    """Why an email failed; it repeats no text and no address of the email."""

    code: str
    message: str
    field: str | None = None
    line: int | None = None
    column: int | None = None
    provider_code: str | None = None
    provider_status: int | None = None


_MAY_BE_SENT: Final = SendError(
    "email_outcome_unknown",
    "The provider may have accepted the email: it is not sent again by itself.",
)


class SendAttachment(NamedTuple):
    """File of the render that goes with an email."""

    file_id: str
    filename: str
    bytes: int
    mode: Literal["attached", "linked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailSend:
    """One email; `number` is its place among the rules of the render's emails.

    `provider` is None where the connection was gone. `next_attempt_at` is None when no attempt is
    to come. `claims_made` counts the claims of the present attempt: more than one if functions died
    with it. `handed_over_at` is the moment from which the provider may have the email;
    `is_counted`: its recipients are in the day's count. `resent_as` is the send that repeats it.
    `deletes_files`: the render keeps its files only until all of its emails are sent.
    The last six are counts of the reports of the provider.
    """

    id: SendId
    workspace_id: WorkspaceId
    render_id: RenderId
    number: int
    template_id: str
    rule_id: str
    connection_id: str
    status: SendStatus
    mode: SendMode
    test: bool
    created_at: str
    request_id: str
    history_days: int
    deletes_files: bool = False
    batch_id: str | None = None
    provider: str | None = None
    skip_reason: SkipReason | None = None
    to: tuple[Mailbox, ...] = ()
    cc_count: int = 0
    bcc_count: int = 0
    subject: str | None = None
    attachments: tuple[SendAttachment, ...] = ()
    provider_message_id: str | None = None
    attempts: int = 0
    error: SendError | None = None
    resend_of: SendId | None = None
    resent_as: SendId | None = None
    sent_at: str | None = None
    next_attempt_at: str | None = None
    claims_made: int = 0
    handed_over_at: str | None = None
    is_counted: bool = False
    delivered: int = 0
    deferred: int = 0
    bounced: int = 0
    blocked: int = 0
    complained: int = 0
    invalid: int = 0

    @property
    def is_open(self) -> bool:
        """Tell whether the status is not final."""
        return self.status in OPEN_STATUSES

    @property
    def count_name(self) -> CountName:
        """Return the count in which the send stands."""
        return _COUNT_NAME_BY_STATUS[self.status]

    @property
    def statistic_name(self) -> SendStatus:
        """Return the statistic in which the send stands."""
        return "pending" if self.is_open else self.status

    @property
    def recipient_count(self) -> int:
        """Return how many recipients the email has."""
        return len(self.to) + self.cc_count + self.bcc_count

    def with_failure(self, error: SendError) -> "EmailSend":
        """Return the send as failed for good."""
        return replace(self, status="failed", error=error, next_attempt_at=None)

    def as_canceled(self) -> "EmailSend":
        """Return the send as canceled."""
        return replace(self, status="canceled", next_attempt_at=None)

    def as_unknown(self, error: SendError = _MAY_BE_SENT) -> "EmailSend":
        """Return the send in the state `unknown`: the provider may have it."""
        return replace(self, status="unknown", error=error, next_attempt_at=None)
