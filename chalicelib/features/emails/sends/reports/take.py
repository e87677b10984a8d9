"""Reports of a provider on emails: each is stored once."""

import hmac
import logging
from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.registrations.register import event_token
from chalicelib.features.emails.sends.events import report_event
from chalicelib.features.emails.sends.model import EmailSend
from chalicelib.features.emails.sends.reports.repository import ProviderReport
from chalicelib.features.emails.sends.stores import EmailStores
from chalicelib.features.events.model import DomainEvent

log = logging.getLogger(__name__)

_MAX_ID_CHARACTERS: Final = 64


class TakeReports(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: store reports on the sends of a connection, and tell of them.

    `publish` sends an event.
    """

    stores: EmailStores
    clock: Clock
    publish: Callable[[DomainEvent], None]

    def connection(self, connection_id: str, token: str) -> EmailConnection:
        """Return the connection whose address this is; raises `not_found` for any other."""
        workspace_id = token.partition("-")[0]
        if not is_id("ws", workspace_id):
            raise _not_found(connection_id)
        try:
            connection = self.stores.connections.one(WorkspaceId(workspace_id), connection_id)
        except NotFound:
            raise _not_found(connection_id) from None
        expected = event_token(connection)
        if expected is None or not hmac.compare_digest(expected.encode(), token.encode()):
            raise _not_found(connection_id)
        return connection

    def __call__(
        self, connection: EmailConnection, reports: Sequence[ProviderReport], request_id: str
    ) -> None:
        """Store the reports on sends of a connection; those on other emails are left out."""
        sends: dict[str, EmailSend | None] = {}
        for report in reports:
            key = report.send_id or report.message_id
            if key not in sends:
                sends[key] = self._send(connection, report)
            send = sends[key]
            if send is not None:
                self._take(send, report, request_id)

    def _send(self, connection: EmailConnection, report: ProviderReport) -> EmailSend | None:
        send_id = report.send_id
        if send_id is None:
            send_id = self.stores.reports.send_id(connection.workspace_id, report.message_id)
        if send_id is None:
            return None
        send = self.stores.sends.get(connection.workspace_id, send_id)
        # Connections with one account get each other's reports.
        return send if send is not None and send.connection_id == connection.id else None

    def _take(self, send: EmailSend, report: ProviderReport, request_id: str) -> None:
        now = self.clock.now()
        event = report_event(send, report, now, request_id)
        try:
            self.stores.table.transact(
                [
                    *self.stores.reports.creation(send, report, now),
                    *([] if event is None else [self.stores.outbox.creation(event)]),
                ]
            )
        except ConditionFailed as refused:
            if refused.index != 0:
                log.warning("report on an email left out", extra={"email": send.id})
            return
        crash_if_armed(CrashPoint.EMAIL_REPORT_STORED)
        if event is not None:
            self.publish(event)


def _not_found(connection_id: str) -> NotFound:
    shown = connection_id[:_MAX_ID_CHARACTERS]
    return NotFound("not_found", f"This is no address for events of a connection {shown}.")
