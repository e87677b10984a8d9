"""Credentials of email connections after a change to a plan without email.

They are kept for 30 days, in case the plan changes back, and then deleted.
"""

import datetime as dt
import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import Write
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import Plan

log = logging.getLogger(__name__)

_KEPT_FOR: Final = dt.timedelta(days=30)


class ScheduleCredentials(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Schedule of the deletion of credentials, in the transaction of a change of the plan."""

    connections: EmailConnections
    clock: Clock

    def __call__(self, workspace: Workspace, plan: Plan) -> Sequence[Write]:
        """Return the writes that schedule the deletion, or cancel it on a plan with email."""
        has_email = "email" in plan.features
        if has_email == ("email" in workspace.plan.features):
            return []
        delete_at = None if has_email else format_rfc3339(self.clock.now() + _KEPT_FOR)
        return [
            self.connections.replacement(each._replace(credentials_delete_at=delete_at))
            for each in self.connections.all(workspace.id)
            if each.sealed_credentials is not None
        ]


class DeleteCredentials(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Handler of connections whose credentials are due; idempotent."""

    connections: EmailConnections
    clock: Clock

    def __call__(self, workspace_id: WorkspaceId, connection_id: str) -> None:
        """Delete the credentials of a connection if their time has come."""
        try:
            connection = self.connections.one(workspace_id, connection_id)
        except NotFound:
            return
        delete_at = connection.credentials_delete_at
        if delete_at is None or delete_at > format_rfc3339(self.clock.now()):
            return
        after = connection._replace(sealed_credentials=None, credentials_delete_at=None)
        # Of a connection that changes meanwhile they are still due: the tick comes again.
        if self.connections.replace(after) is not None:
            log.info("email credentials deleted", extra={"connection": connection_id})
