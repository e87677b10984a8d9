"""End of an email whose message was given up."""

from collections.abc import Callable
from typing import Final

from chalicelib.adapters.aws.table import ConditionFailed, Tables
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.sends.counts import SendCounts
from chalicelib.features.emails.sends.events import send_event
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import SendError
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.events.repository import EventOutbox

_ERROR: Final = SendError("internal_error", "The service could not send the email.")


class GiveUpEmail:
    """Resolution of a dead letter: `unknown` if the provider may have the email, else `failed`."""

    def __init__(
        self,
        *,
        tables: Tables,
        table: str,
        outbox: EventOutbox,
        publish: Callable[[DomainEvent], None],
        clock: Clock,
    ) -> None:
        """Change sends in this table."""
        self._tables = tables
        self._sends = Sends(tables, table)
        self._counts = SendCounts(tables, table)
        self._outbox = outbox
        self._publish = publish
        self._clock = clock

    def __call__(self, message: JsonObject) -> str:
        """End the send if it is open and unclaimed, and return the outcome as text."""
        named = SendEmailMessage.from_json(message)
        bind(workspace=named.workspace_id)
        before = self._sends.get(named.workspace_id, named.send_id)
        now = self._clock.now()
        if before is None or not before.is_open:
            return "the email had ended"
        after = before.failed(_ERROR) if before.handed_over_at is None else before.unknown()
        event = send_event(after, now)
        assert event is not None
        try:
            self._tables.transact(
                [
                    self._sends.end_waiting(before, after, format_rfc3339(now)),
                    *self._counts.move(before, after),
                    self._outbox.creation(event),
                ]
            )
        except ConditionFailed:
            return "the email goes on with another message"
        crash_if_armed(CrashPoint.EMAIL_GIVEN_UP)
        self._publish(event)
        return f"the email ended as {after.status}"
