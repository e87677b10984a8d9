"""End of an email whose message was given up."""

from collections.abc import Callable
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.json import JsonObject
from chalicelib.features.emails.sends.events import send_event
from chalicelib.features.emails.sends.message import SendEmailMessage
from chalicelib.features.emails.sends.model import SendError
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.events.model import DomainEvent

_ERROR: Final = SendError("internal_error", "The service could not send the email.")


class GiveUpEmail(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolution of a dead letter: `unknown` if the provider may have the email, else `failed`."""

    stores: EmailStores
    publish: Callable[[DomainEvent], None]
    clock: Clock

    def __call__(self, message: JsonObject) -> str:
        """End the send if it is open and unclaimed, and return the outcome as text."""
        email_message = SendEmailMessage.from_json(message)
        bind(workspace=email_message.workspace_id)
        before = self.stores.sends.get(email_message.workspace_id, email_message.send_id)
        now = self.clock.now()
        if before is None or not before.is_open:
            return "the email had ended"
        after = (
            before.with_failure(_ERROR) if before.handed_over_at is None else before.as_unknown()
        )
        event = send_event(after, now)
        assert event is not None
        try:
            self.stores.table.transact(
                [
                    self.stores.sends.end_waiting(before, after, format_rfc3339(now)),
                    *self.stores.counts.move(before, after),
                    self.stores.outbox.creation(event),
                ]
            )
        except ConditionFailed:
            return "the email goes on with another message"
        crash_if_armed(CrashPoint.EMAIL_GIVEN_UP)
        self.publish(event)
        return f"the email ended as {after.status}"
