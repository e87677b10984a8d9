"""Delivery of one email: takes a slot, claims an attempt, hands over, and records the result.

The row is marked before the provider can have the email: an attempt that is lost after the mark
ends as `unknown` and is never repeated; an attempt that is lost before it is made again (decision
44).
"""

import datetime as dt
import logging
from collections.abc import Callable
from random import Random
from typing import Final, NamedTuple

from chalicelib.adapters.aws.queues import DELAY_PRECISION, MAX_DELAY, Queue
from chalicelib.adapters.aws.sealing import KeyUnavailableError
from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.adapters.json_logs import log_context
from chalicelib.core.clock import Clock, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import connection_of, connections_partition
from chalicelib.features.emails.outgoing import ProviderSession
from chalicelib.features.emails.sends.attempt import AttemptEmail, SessionOf
from chalicelib.features.emails.sends.events import send_event
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.emails.sends.rate.repository import LONGEST_WAIT, SendRate
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.events.model import PublishEvent

log = logging.getLogger(__name__)

# Until the hand-over: connecting and sending take 15 s at most, and reading the files.
_CLAIM_TIME: Final = dt.timedelta(seconds=60)
_KNOWN_FOR: Final = dt.timedelta(seconds=5)
# A slot that is further away is written into the row, or the tick would send the email before.
_WRITTEN_WAIT: Final = dt.timedelta(seconds=60)


class _Known(NamedTuple):
    connection: EmailConnection | None
    until: dt.datetime


class DeliverEmail:
    """Sender of due emails; an email is accepted by its provider at most once."""

    def __init__(  # noqa: PLR0913 -- ports of its own
        self,
        *,
        stores: EmailStores,
        rate: SendRate,
        attempt: AttemptEmail,
        queue: Queue,
        events_queue: Queue,
        clock: Clock,
        on_attempt: Callable[[str], None],
    ) -> None:
        """Send messages of next attempts to `queue`, and events to `events_queue`.

        `on_attempt` gets the status of an email after each attempt.
        """
        self._stores = stores
        self._rate = rate
        self._attempt = attempt
        self._queue = queue
        self._events_queue = events_queue
        self._clock = clock
        self._on_attempt = on_attempt
        self._known: dict[str, _Known] = {}

    def __call__(
        self,
        message: SendEmailMessage,
        session_of: SessionOf,
        claim: str,
    ) -> None:
        """Make an attempt of a send if one is due; `claim` names it among all.

        `session_of` returns the session that carries the emails of a connection.
        """
        with log_context(workspace=message.workspace_id, email=message.send_id):
            crash_if_armed(CrashPoint.EMAIL_BEGUN)
            now = self._clock.now()
            if not message.has_slot and not self._has_slot(message, now):
                return
            send = self._stores.sends.claim(
                message.workspace_id,
                message.send_id,
                claim=claim,
                now=now,
                until=now + _CLAIM_TIME,
            )
            if send is None:
                return
            crash_if_armed(CrashPoint.EMAIL_CLAIMED)
            try:
                after = self._attempt(send, self._noting(session_of), claim, now)
            except KeyUnavailableError as fault:
                # No attempt is used up for what the operator has to mend.
                log.error("email not sent", exc_info=fault)  # noqa: TRY400 -- it is tried again
                self._stores.sends.postpone(send, at=now + _WRITTEN_WAIT, claim=claim)
                return
            if after is not None:
                self._record(send, after, claim)

    def put_back(self, message: SendEmailMessage) -> None:
        """Send a message again: this function has no time left for it."""
        self._queue.send(
            message.to_json(), group=message.workspace_id, delay=dt.timedelta(seconds=1)
        )

    def _has_slot(self, message: SendEmailMessage, now: dt.datetime) -> bool:
        """Tell whether an email may go now; if not, it waits in the queue."""
        send = None
        if not message.connection_id:
            send = self._stores.sends.get(message.workspace_id, message.send_id)
            if send is None or send.next_attempt_at is None:
                return False
            message = message._replace(connection_id=send.connection_id)
        connection = self._connection(message, now)
        if connection is None:
            # The attempt finds out and says so.
            return True
        wait = self._rate.take_slot(connection, now)
        crash_if_armed(CrashPoint.EMAIL_SLOT_TAKEN)
        if wait is not None and wait <= DELAY_PRECISION:
            return True
        has_slot = wait is not None
        if wait is None:
            wait = _next_look(message.send_id)
        if wait > _WRITTEN_WAIT:
            send = send or self._stores.sends.get(message.workspace_id, message.send_id)
            if send is None or not self._stores.sends.postpone(send, at=now + wait):
                return False
        self._send_message(message._replace(has_slot=has_slot), wait)
        return False

    def _noting(self, session_of: SessionOf) -> SessionOf:
        """Return `session_of` that notes each connection, which the attempt has just read."""

        def noting_session_of(connection: EmailConnection) -> ProviderSession:
            self._known[connection.id] = _Known(connection, self._clock.now() + _KNOWN_FOR)
            return session_of(connection)

        return noting_session_of

    def _connection(self, message: SendEmailMessage, now: dt.datetime) -> EmailConnection | None:
        known = self._known.get(message.connection_id)
        if known is None or known.until <= now:
            pk = connections_partition(message.workspace_id)
            row = self._stores.table.get(pk, message.connection_id)
            known = _Known(None if row is None else connection_of(row), now + _KNOWN_FOR)
            self._known[message.connection_id] = known
        return known.connection

    def _record(self, before: EmailSend, after: EmailSend, claim: str) -> None:
        now = self._clock.now()
        event = send_event(after, now)
        writes = [
            self._stores.sends.result_write(after, claim=claim),
            *self._stores.counts.move(before, after),
            *self._stores.reports.naming(after),
            *([] if event is None else [self._stores.outbox.creation(event)]),
        ]
        try:
            self._stores.table.transact(writes)
        except ConditionFailed:
            log.warning("email not recorded: another function has it")
            return
        crash_if_armed(CrashPoint.EMAIL_RECORDED)
        log.info(
            "email attempted",
            extra={
                "email_status": after.status,
                "attempt": after.attempts,
                "code": None if after.error is None else after.error.code,
            },
        )
        self._on_attempt(after.status)
        if event is not None:
            body = PublishEvent.of_event(event, settled=True).to_json()
            self._events_queue.try_send(body, group=after.workspace_id)
            crash_if_armed(CrashPoint.EMAIL_EVENT_SENT)
        if after.next_attempt_at is not None:
            message = SendEmailMessage(
                after.workspace_id,
                after.id,
                connection_id=after.connection_id,
                request_id=after.request_id,
            )
            self._send_message(message, parse_rfc3339(after.next_attempt_at) - now)

    def _send_message(self, message: SendEmailMessage, delay: dt.timedelta) -> None:
        """Send the message of an attempt; beyond a queue's longest delay it stays a due item."""
        if delay <= MAX_DELAY:
            self._queue.try_send(message.to_json(), group=message.workspace_id, delay=delay)
            crash_if_armed(CrashPoint.EMAIL_DELAYED)


def _next_look(send_id: str) -> dt.timedelta:
    """Return how long an email waits for which there is no slot in sight: about that long."""
    random = Random(send_id)  # noqa: S311 -- spreads load
    return LONGEST_WAIT * random.uniform(0.5, 1)
