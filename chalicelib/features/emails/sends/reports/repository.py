"""Reports of a provider on sends, and the rows by which they are found.

`REPORT#<id>` in the partition of a send is a report; `WS#<ws>#EMM` has the send of each id that a
provider has given to an email.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

import msgspec

from chalicelib.adapters.aws.table import Row, Table, Write
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import SendId, WorkspaceId, derived_id
from chalicelib.core.json import Json
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.emails.sends.repository import expiry, send_key, send_partition

# Of one send; more can only come from someone who has the address of the events.
MAX_REPORTS: Final = 1_000

type ReportKind = Literal[
    "delivered", "deferred", "soft_bounce", "hard_bounce", "blocked", "spam", "invalid"
]
# The count of a send in which a report stands.
COUNT_BY_KIND: Final[Mapping[ReportKind, str]] = {
    "delivered": "delivered",
    "deferred": "deferred",
    "soft_bounce": "bounced",
    "hard_bounce": "bounced",
    "blocked": "blocked",
    "spam": "complained",
    "invalid": "invalid",
}


class ProviderReport(NamedTuple):
    """Report of a provider on one recipient of an email; `reported_at` is None without a time.

    `message_id` is the id that the provider gave to the email, `send_id` the one in its header.
    """

    kind: ReportKind
    recipient: str
    reason: str
    message_id: str
    send_id: SendId | None
    reported_at: dt.datetime | None

    def id(self, send: EmailSend) -> str:
        """Return the id that the same report always has; ids sort by time."""
        moment = self.reported_at or parse_rfc3339(send.created_at)
        return derived_id("evr", moment, send.id, self.kind, self.recipient.lower())


class ReportPage(NamedTuple):
    """Page of reports as the API shows them; the next page comes after the id `next_after`."""

    reports: list[dict[str, Json]]
    next_after: str | None


class ProviderReports(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reports of all workspaces."""

    table: Table

    def naming(self, send: EmailSend) -> list[Write]:
        """Return the write by which reports on a send that was just accepted will find it."""
        if send.provider != "brevo" or not send.provider_message_id:
            return []
        row: Row = {
            "PK": _names_partition(send.workspace_id),
            "SK": send.provider_message_id,
            "send_id": send.id,
            "ttl": expiry(send),
        }
        return [Write(self.table, item=row)]

    def send_id(self, workspace_id: WorkspaceId, message_id: str) -> SendId | None:
        """Return the send to which a provider gave this id, or None."""
        if not message_id:
            return None
        row = self.table.get(_names_partition(workspace_id), message_id)
        return None if row is None else SendId(row["send_id"])

    def creation(self, send: EmailSend, report: ProviderReport, now: dt.datetime) -> list[Write]:
        """Return the writes of a report; the first is refused if it is there already.

        The second is refused where the send is gone or has MAX_REPORTS.
        """
        row: Row = {
            "PK": send_partition(send.workspace_id, send.id),
            "SK": f"REPORT#{report.id(send)}",
            "event": report.kind,
            "recipient": report.recipient,
            "reason": report.reason,
            "occurred_at": format_rfc3339(report.reported_at or now),
            "ttl": expiry(send),
        }
        count = Write(
            self.table,
            key=send_key(send.workspace_id, send.id),
            update="ADD #count :one, report_count :one",
            condition="attribute_exists(PK) "
            "AND (attribute_not_exists(report_count) OR report_count < :most)",
            names={"#count": COUNT_BY_KIND[report.kind]},
            values={":one": 1, ":most": MAX_REPORTS},
        )
        return [Write(self.table, item=row, condition="attribute_not_exists(PK)"), count]

    def page(self, send: EmailSend, *, limit: int, after: str | None) -> ReportPage:
        """Return up to `limit` reports on a send, the oldest first."""
        found = self.table.query(
            "PK = :pk AND SK BETWEEN :after AND :last",
            {
                ":pk": send_partition(send.workspace_id, send.id),
                # Ids are equally long: this is above the one and below all others.
                ":after": f"REPORT#{after}!" if after else "REPORT#",
                ":last": "REPORT#~",
            },
            limit=limit + 1,
            consistent=True,
        ).items
        shown: list[dict[str, Json]] = [
            {name: row[name] for name in ("event", "recipient", "reason", "occurred_at")}
            for row in found[:limit]
        ]
        is_last = len(found) <= limit
        return ReportPage(
            shown, None if is_last else found[limit - 1]["SK"].removeprefix("REPORT#")
        )

    def erase(self, workspace_id: WorkspaceId) -> Iterator[None]:
        """Erase the rows that find the sends of a workspace; yield after each step."""
        return self.table.delete_partition_in_steps(_names_partition(workspace_id))


def _names_partition(workspace_id: WorkspaceId) -> str:
    return f"WS#{workspace_id}#EMM"
