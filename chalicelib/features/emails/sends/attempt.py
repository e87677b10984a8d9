"""One attempt of an email: checks that it may still go, and hands it over to the provider."""

import datetime as dt
import logging
from collections.abc import Callable
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.table import ConditionFailed, Row
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.retry_schedule import LIFE, next_attempt_time
from chalicelib.engine.delivery.emails import EmailContents, contents_key
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import connection_of, connections_partition
from chalicelib.features.emails.outgoing import CONNECTION_ERRORS, HandOver, ProviderSession
from chalicelib.features.emails.sends.model import EmailSend, SendError, SendStatus
from chalicelib.features.emails.sends.prepare import (
    EmailImpossibleError,
    EmailParts,
    PreparedEmail,
    PrepareEmail,
)
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.renders.rows import partition as render_partition
from chalicelib.features.renders.rows import render_of
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.repository import workspace_key, workspace_of

log = logging.getLogger(__name__)

# From the hand-over on: the provider may answer after two minutes.
_ANSWER_TIME: Final = dt.timedelta(seconds=150)

# Returns the session that carries the emails of a connection.
type SessionOf = Callable[[EmailConnection], ProviderSession]


class _Situation(NamedTuple):
    workspace: Workspace | None
    connection: EmailConnection | None
    render: Row | None
    is_rule_on: bool

    def end_of(self, send: EmailSend) -> EmailSend | None:
        """Return the send as changes since its creation end it, or None if it may go."""
        workspace = self.workspace
        if workspace is None or workspace.status != "active" or self.render is None:
            return send.as_canceled()
        if "email" not in workspace.plan.features or not self.is_rule_on:
            message = "The rule was switched off, or the plan has no email any more."
            return send.with_failure(SendError("email_disabled", message))
        if self.connection is None:
            message = "The email connection of the rule is deleted."
            return send.with_failure(SendError("email_disabled", message))
        return None


class _ClaimLostError(Exception):
    pass


class _CapReachedError(Exception):
    pass


class AttemptEmail(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Attempt of a send that is claimed; its result is written by the caller."""

    stores: EmailStores
    objects: Objects
    prepare: PrepareEmail
    clock: Clock

    def __call__(
        self, send: EmailSend, session_of: SessionOf, claim: str, now: dt.datetime
    ) -> EmailSend | None:
        """Return the send after its attempt, or None if another process has it meanwhile."""
        end = _end_without_attempt(send, now)
        if end is not None:
            return end
        situation = self._situation(send)
        end = situation.end_of(send)
        if end is not None:
            return end
        assert situation.workspace is not None
        assert situation.connection is not None
        assert situation.render is not None
        stored = self.objects.get(contents_key(send.workspace_id, send.render_id))
        render = render_of(situation.render).at(format_rfc3339(now))
        if stored is None or render.files_purged_at is not None:
            return send.as_canceled()
        contents = msgspec.json.decode(stored, type=EmailContents)
        parts = EmailParts(
            send,
            contents.rules[send.number],
            contents.rendered[send.number],
            render,
            situation.connection,
        )
        try:
            prepared = self.prepare(parts, now)
        except EmailImpossibleError as impossible:
            return (
                send.as_canceled()
                if impossible.error is None
                else send.with_failure(impossible.error)
            )
        crash_if_armed(CrashPoint.EMAIL_PREPARED)
        cap = situation.workspace.plan.email_recipients_per_day
        return self._hand_over(parts, prepared, session_of, claim, cap)

    def _situation(self, send: EmailSend) -> _Situation:
        keys = {
            "workspace": (workspace_key(send.workspace_id)["PK"], "META"),
            "connection": (connections_partition(send.workspace_id), send.connection_id),
            "render": (render_partition(send.workspace_id, send.render_id), "META"),
            # Rules stand in the partition of the connections.
            "rule": (connections_partition(send.workspace_id), send.rule_id),
        }
        found = {
            (row["PK"], row["SK"]): row for row in self.stores.table.get_many(list(keys.values()))
        }
        rows = {name: found.get(key) for name, key in keys.items()}
        workspace, connection, rule = rows["workspace"], rows["connection"], rows["rule"]
        return _Situation(
            None if workspace is None else workspace_of(workspace),
            None if connection is None else connection_of(connection),
            rows["render"],
            rule is not None and rule["enabled"] is True,
        )

    def _hand_over(
        self,
        parts: EmailParts,
        prepared: PreparedEmail,
        session_of: SessionOf,
        claim: str,
        cap: int,
    ) -> EmailSend | None:
        send = replace(parts.send, attachments=prepared.attachments)
        try:
            outcome = session_of(parts.connection).send(
                prepared.email, lambda: self._mark(send, claim, cap)
            )
        except _ClaimLostError:
            log.warning("email not sent: another function has it")
            return None
        except _CapReachedError:
            message = f"The plan sends live emails to {cap} recipients a day; that is reached."
            return send.with_failure(SendError("email_daily_cap_reached", message))
        crash_if_armed(CrashPoint.EMAIL_HANDED_OVER)
        self._note_connection(parts.connection, outcome)
        return _send_after(send, outcome, self.clock.now())

    def _mark(self, send: EmailSend, claim: str, cap: int) -> None:
        """Write that the provider may have the email from now on; raises to keep it from that."""
        now = self.clock.now()
        at, until = format_rfc3339(now), format_rfc3339(now + _ANSWER_TIME)
        writes = [self.stores.sends.hand_over(send, claim=claim, at=at, until=until)]
        if send.mode == "live" and not send.is_counted:
            writes.append(self.stores.counts.recipients(send, at, cap))
        try:
            self.stores.table.transact(writes)
        except ConditionFailed as refused:
            raise (_ClaimLostError if refused.index == 0 else _CapReachedError) from refused
        crash_if_armed(CrashPoint.EMAIL_MARKED)

    def _note_connection(self, connection: EmailConnection, outcome: HandOver) -> None:
        error = None
        if outcome.code in CONNECTION_ERRORS:
            at = format_rfc3339(self.clock.now())
            error = {"at": at, "code": outcome.code, "message": outcome.message}
        elif outcome.result != "accepted":
            return
        if error is not None or connection.last_error is not None:
            self.stores.connections.note_outcome(connection, error)


def _end_without_attempt(send: EmailSend, now: dt.datetime) -> EmailSend | None:
    """Return the send as it ends without an attempt, or None if it is to be tried."""
    if send.handed_over_at is not None:
        log.error("email outcome unknown: its function died")
        return send.as_unknown()
    if send.claims_made > MAX_RECEIVE_COUNT:
        log.error("email given up: its functions died")
        message = "The service could not send the email."
        return send.with_failure(SendError("internal_error", message))
    if now >= parse_rfc3339(send.created_at) + LIFE:
        return send.with_failure(_expiry_error(send))
    return None


def _send_after(send: EmailSend, outcome: HandOver, now: dt.datetime) -> EmailSend:
    """Return a send after an attempt with this outcome."""
    send = replace(
        send, attempts=send.attempts + 1, provider_message_id=outcome.provider_message_id
    )
    error = None
    if outcome.code is not None:
        error = SendError(
            outcome.code,
            outcome.message or "",
            provider_code=outcome.provider_code,
            provider_status=outcome.provider_status,
        )
    if outcome.result == "accepted":
        status: SendStatus = "sandboxed" if send.mode == "sandbox" else "sent"
        if outcome.refused_count:
            message = f"{outcome.refused_count} of {send.recipient_count} recipients were refused."
            error = SendError("email_provider_rejected", message)
        return replace(
            send,
            status=status,
            sent_at=format_rfc3339(now),
            next_attempt_at=None,
            error=error,
        )
    assert error is not None, outcome
    if outcome.result == "rejected":
        return send.with_failure(error)
    if outcome.result == "unknown":
        return send.as_unknown(error)
    again_at = next_attempt_time(send.id, send.attempts, now, outcome.retry_after_s)
    if again_at >= parse_rfc3339(send.created_at) + LIFE:
        return send.with_failure(_expiry_error(send))
    return replace(send, status="retrying", error=error, next_attempt_at=format_rfc3339(again_at))


def _expiry_error(send: EmailSend) -> SendError:
    """Return the error of a send that was tried for a day; it names the last failure."""
    last = "" if send.error is None else f" The last attempt: {send.error.message}"
    return SendError("email_send_expired", f"The email could not be sent within 24 hours.{last}")
