"""Repeat of a send: a new send with the same content takes its place in the counts."""

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, ServiceError
from chalicelib.core.ids import SendId, derived_id, id_created_at
from chalicelib.engine.delivery.emails import EmailContents, contents_key
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.emails.sends.read import ReadSends, SendFilter
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.renders.read import Viewer
from chalicelib.features.renders.repository import Renders

_MAX_SKIPPED: Final = 100
_PAGE: Final = 100
# The gateway answers within 29 s.
_BATCH_TIME: Final = dt.timedelta(seconds=20)
_NOT_RESENDABLE: Final = "email_not_resendable"


class ResendEmail(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: send an email again; each send is repeated once, the next repeat is of the last."""

    stores: EmailStores
    objects: Objects
    renders: Renders
    queue: Queue
    clock: Clock

    def __call__(self, send: EmailSend, request_id: str) -> EmailSend:
        """Return the new send.

        Raises `email_not_resendable`, `email_file_expired`, and `conflict` if it was repeated.
        """
        self._check(send)
        now = format_rfc3339(self.clock.now())
        again = _repeat(send, now, request_id)
        try:
            self.stores.table.transact(
                [
                    self.stores.sends.creation(again),
                    self.stores.sends.resent(send, again.id),
                    *self.stores.counts.move(send, again),
                ]
            )
        except ConditionFailed as refused:
            raise _repeat_conflict(send) from refused
        crash_if_armed(CrashPoint.EMAIL_RESENT)
        message = SendEmailMessage(
            again.workspace_id,
            again.id,
            connection_id=again.connection_id,
            request_id=request_id,
        )
        self.queue.try_send(message.to_json(), group=again.workspace_id)
        crash_if_armed(CrashPoint.EMAIL_RESEND_SENT)
        return again

    def _check(self, send: EmailSend) -> None:
        if send.resent_as is not None:
            raise _repeat_conflict(send)
        if send.is_open or send.status == "skipped":
            detail = f"The email send {send.id} is {send.status}: it cannot be repeated."
            raise ServiceError(_NOT_RESENDABLE, detail)
        # Before the content, which a purge deletes with the files.
        render = self.renders.get(send.workspace_id, send.render_id)
        now = format_rfc3339(self.clock.now())
        if render is None or render.at(now).files_purged_at is not None:
            detail = "A file of the email is deleted, or its retention has ended."
            raise ServiceError("email_file_expired", detail)
        stored = self.objects.get(contents_key(send.workspace_id, send.render_id))
        if stored is None:
            detail = "The content of the email is not kept any more."
            raise ServiceError(_NOT_RESENDABLE, detail)
        contents = msgspec.json.decode(stored, type=EmailContents)
        if contents.rendered[send.number].fault is not None:
            detail = "The email failed before it could be sent: it has no content to repeat."
            raise ServiceError(_NOT_RESENDABLE, detail)


def _repeat(send: EmailSend, now: str, request_id: str) -> EmailSend:
    """Return the send that repeats another; its id is made of that one's."""
    return EmailSend(
        id=SendId(derived_id("ems", id_created_at(send.id), send.id, "resend")),
        workspace_id=send.workspace_id,
        render_id=send.render_id,
        number=send.number,
        template_id=send.template_id,
        rule_id=send.rule_id,
        connection_id=send.connection_id,
        provider=send.provider,
        batch_id=send.batch_id,
        status="pending",
        mode=send.mode,
        test=send.test,
        created_at=now,
        request_id=request_id,
        history_days=send.history_days,
        deletes_files=send.deletes_files,
        to=send.to,
        cc_count=send.cc_count,
        bcc_count=send.bcc_count,
        subject=send.subject,
        resend_of=send.id,
        next_attempt_at=now,
    )


class ResentOfBatch(NamedTuple):
    """Result of repeating a batch's emails; `skipped`: the first 100 refused, and their codes."""

    resent: int
    skipped: Sequence[tuple[SendId, str]]


class ResendBatchEmails(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: repeat the newest emails of a batch that have failed, or whose outcome is unknown.

    It goes on until its time is over; emails that it has repeated are not found again.
    """

    read: ReadSends
    resend: ResendEmail
    clock: Clock

    def __call__(
        self, viewer: Viewer, batch_id: str, statuses: Collection[str], request_id: str
    ) -> ResentOfBatch:
        """Repeat the emails in these statuses."""
        resent = 0
        skipped: list[tuple[SendId, str]] = []
        for send in self._emails(viewer, batch_id, statuses):
            try:
                self.resend(send, request_id)
            except Conflict:
                # Another request has repeated it meanwhile.
                continue
            except ServiceError as refusal:
                skipped.append((send.id, refusal.code))
            else:
                resent += 1
        return ResentOfBatch(resent, skipped[:_MAX_SKIPPED])

    def _emails(
        self, viewer: Viewer, batch_id: str, statuses: Collection[str]
    ) -> Iterator[EmailSend]:
        ends_at = self.clock.now() + _BATCH_TIME
        for status in sorted(statuses):
            after = None
            while True:
                criteria = SendFilter(batch_id=batch_id, status=status)
                page = self.read.page(viewer, criteria, limit=_PAGE, after=after)
                for send in page.sends:
                    if self.clock.now() >= ends_at:
                        return
                    if send.resent_as is None:
                        yield send
                if page.next_after is None:
                    break
                after = page.next_after


def _repeat_conflict(send: EmailSend) -> Conflict:
    newest = "another one" if send.resent_as is None else send.resent_as
    return Conflict("conflict", f"The email send {send.id} is repeated by {newest} already.")
