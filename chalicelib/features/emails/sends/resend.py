"""Repeat of a send: a new send with the same content takes its place in the counts."""

from typing import Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict, ServiceError
from chalicelib.core.ids import SendId, derived_id, id_created_at
from chalicelib.engine.emails.model import EmailContents, contents_key
from chalicelib.features.emails.sends.counts import SendCounts
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.renders.repository import Renders

_NOT_RESENDABLE: Final = "email_not_resendable"


class ResendEmail:
    """Use case: send an email again; each send is repeated once, the next repeat is of the last."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        sends: Sends,
        counts: SendCounts,
        renders: Renders,
        objects: Objects,
        queue: Queue,
        clock: Clock,
    ) -> None:
        """Send the message of a new send to `queue`."""
        self._tables = tables
        self._sends = sends
        self._counts = counts
        self._renders = renders
        self._objects = objects
        self._queue = queue
        self._clock = clock

    def __call__(self, send: EmailSend, request_id: str) -> EmailSend:
        """Return the new send.

        Raises `email_not_resendable`, `email_file_expired`, and `conflict` if it was repeated.
        """
        self._check(send)
        now = format_rfc3339(self._clock.now())
        again = EmailSend(
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
            to=send.to,
            cc_count=send.cc_count,
            bcc_count=send.bcc_count,
            subject=send.subject,
            resend_of=send.id,
            next_attempt_at=now,
        )
        try:
            self._tables.transact(
                [
                    self._sends.creation(again),
                    self._sends.resent(send, again.id),
                    *self._counts.move(send, again),
                ]
            )
        except ConditionFailed as refused:
            raise _repeated(send) from refused
        crash_if_armed(CrashPoint.EMAIL_RESENT)
        message = SendEmailMessage(
            again.workspace_id,
            again.id,
            connection_id=again.connection_id,
            request_id=request_id,
        )
        self._queue.try_send(message.to_json(), group=again.workspace_id)
        crash_if_armed(CrashPoint.EMAIL_RESEND_SENT)
        return again

    def _check(self, send: EmailSend) -> None:
        if send.resent_as is not None:
            raise _repeated(send)
        if send.is_open or send.status == "skipped":
            detail = f"The email send {send.id} is {send.status}: it cannot be repeated."
            raise ServiceError(_NOT_RESENDABLE, detail)
        stored = self._objects.get(contents_key(send.workspace_id, send.render_id))
        if stored is None:
            detail = "The content of the email is not kept any more."
            raise ServiceError(_NOT_RESENDABLE, detail)
        contents = msgspec.json.decode(stored, type=EmailContents)
        if contents.rendered[send.number].fault is not None:
            detail = "The email failed before it could be sent: it has no content to repeat."
            raise ServiceError(_NOT_RESENDABLE, detail)
        render = self._renders.get(send.workspace_id, send.render_id)
        now = format_rfc3339(self._clock.now())
        if render is None or render.at(now).files_purged_at is not None:
            detail = "A file of the email is deleted, or its retention has ended."
            raise ServiceError("email_file_expired", detail)


def _repeated(send: EmailSend) -> Conflict:
    newest = "another one" if send.resent_as is None else send.resent_as
    return Conflict("conflict", f"The email send {send.id} is repeated by {newest} already.")
