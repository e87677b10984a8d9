"""Kills functions over emails: the way to their crash points, and the invariants."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.crash_points import CrashPoint
from chalicelib.features.emails.sends.counts.repository import SendCounts
from chalicelib.features.emails.sends.model import COUNT_NAMES, EmailSend
from chalicelib.features.emails.sends.repository import send_of
from tests.builders.crash.stack import CrashStack
from tests.builders.crash.workspace import CrashWorkspace
from tests.builders.stack.stores import PAST
from tests.fakes.submission_server import HOST, PORT, SubmissionServer

_SENDER: Final = "billing@example.com"


class CrashEmails(CrashWorkspace):
    """A workspace with a template, one rule of it, and a connection to a mail server."""

    def __init__(self, stack: CrashStack, server: SubmissionServer) -> None:
        """Create the workspace."""
        super().__init__(stack)
        self.server = server
        template = {"name": "T", "html": "<p>{{ n }}", "publish": True}
        self.template = self.call("POST", "/templates", json=template)["id"]
        connection = {
            "name": "Mail",
            "provider": "smtp",
            "config": {"host": HOST, "port": PORT, "username": "mailer"},
            "credentials": {"password": "p"},
            "default_from": {"email": _SENDER},
        }
        made = self.call("POST", "/email-connections", json=connection)
        rule = {
            "name": "To the customer",
            "connection_id": made["id"],
            "to": "{{ n }}@example.com",
            "subject": "Invoice {{ n }}",
            "html": "<p>{{ n }}",
        }
        self.call("POST", f"/templates/{self.template}/email-rules", json=rule)

    def render(self) -> str:
        """Make a render whose rule sends an email; return its id."""
        source = {"type": "template", "template_id": self.template}
        body = {"input": source, "data": {"n": 1}, "mode": "async"}
        render_id: str = self.call("POST", "/renders", json=body)["id"]
        return render_id

    def die(self, point: CrashPoint) -> None:
        """Kill the next function that reaches a point, and let the others finish their work."""
        self.settle(lambda: list(self.faults()), point)

    def sends(self) -> list[EmailSend]:
        """Return all sends."""
        return [send_of(row) for row in self._send_rows()]

    def received(self) -> Counter[str]:
        """Return how often the server has got the email of each send."""
        ids = {_message_id(send): send.id for send in self.sends()}
        arrived = (str(mail["Message-ID"]) for _, mail in self.server.mails)
        return Counter(ids[each] for each in arrived if each in ids)

    def give_up(self, send: EmailSend) -> None:
        """Send the dead letter of a send's message."""
        ids: dict[str, str] = {"workspace_id": self.workspace, "send_id": send.id}
        self.stores.send_dead_letter("Emails", {"v": 1, **ids})

    def await_failed_attempt(self) -> EmailSend:
        """Wait until a send waits for its second attempt, which comes after half a minute."""
        self.stack.until(lambda: not self._retrying(), ticks=False)
        return self._retrying()[0]

    def _retrying(self) -> list[EmailSend]:
        return [send for send in self.sends() if send.status == "retrying"]

    def make_due(self) -> None:
        """Let the next attempts of sends that wait be due now."""
        for row in self._send_rows():
            if row.get("next_attempt_at") is not None:
                self.stores.replace(row, {"next_attempt_at": PAST})

    def faults(self) -> Iterator[str]:
        """Yield open work, and the broken invariants."""
        rows = self.rows()
        told = [row for row in rows if row["SK"].startswith("EVENT#")]
        yield from (f"{row['type']} is not published" for row in told if "due_at" in row)
        for row in self._send_rows(rows):
            yield from self._send_faults(row, told)
        sends = [send_of(row) for row in self._send_rows(rows)]
        for render in (row for row in rows if "#RND#" in row["PK"] and row["SK"] == "META"):
            yield from _render_faults(render, sends)
        yield from self._day_faults(sends)

    def _send_rows(self, rows: list[Row] | None = None) -> list[Row]:
        rows = self.rows() if rows is None else rows
        keys = [(row["PK"], "META") for row in rows if "#EMS#" in row["PK"]]
        return self.stores.main_table.get_many(sorted(set(keys)))

    def _send_faults(self, row: Row, told: list[Row]) -> Iterator[str]:
        send = send_of(row)
        if left := {"due_at", "DPK", "claim", "claimed_until", "next_attempt_at"} & row.keys():
            yield f"{send.id} is {send.status} and has {left}"
        count = self.received()[send.id]
        if count > 1 or (count == 0 and send.status == "sent"):
            yield f"{send.id} is {send.status} and has arrived {count} times"
        if count and send.status not in {"sent", "unknown"}:
            yield f"{send.id} has arrived, and is {send.status}"
        events = [event["type"] for event in told if event["PK"] == row["PK"]]
        if len(events) != 1:
            yield f"{send.id} is {send.status}, and has told {events}"

    def _day_faults(self, sends: list[EmailSend]) -> Iterator[str]:
        counts = SendCounts(table=self.stores.main_table)
        days = counts.days(self.workspace, "2020-01-01", "2100-01-01").values()
        counted = Counter[str]()
        for day in days:
            counted.update(day.sends)
        if +counted != Counter(send.statistic_name for send in sends):
            yield f"statistics {counted} of {[send.status for send in sends]}"
        recipients = sum(send.recipient_count for send in sends if send.is_counted)
        if sum(day.recipients for day in days) != recipients:
            yield f"{[day.recipients for day in days]} recipients, and not {recipients}"


def _message_id(send: EmailSend) -> str:
    return f"<{send.id.lower()}@{_SENDER.partition('@')[2]}>"


def _render_faults(render: Row, sends: list[EmailSend]) -> Iterator[str]:
    """Yield if the sends are not one of the rule and its repeats, or differ from their counts."""
    own = [send for send in sends if send.render_id == render["id"]]
    first = [send for send in own if send.resend_of is None]
    if len(first) != 1:
        yield f"{len(first)} sends of {render['id']}, which is {render['status']}"
    recount = Counter(send.count_name for send in own if send.resent_as is None)
    counts = render.get("emails") or {}
    if counts != {name: recount[name] for name in COUNT_NAMES}:
        yield f"counts {counts}, and not {recount}"
