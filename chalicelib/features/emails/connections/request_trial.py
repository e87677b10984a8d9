"""Test of an email connection as the API function asks for it: it may not open credentials."""

from typing import Final, NamedTuple, Self, cast

import msgspec

from chalicelib.adapters.json_logs import propagated_ids
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.features.emails.connections.manage import require_email
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import (
    EmailConnections,
    connections_partition,
)
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.repository import Members
from chalicelib.features.workspaces.trials.run import RunTrial

_VERSION: Final = 1


class ConnectionTrial(NamedTuple):
    """Call of the function: the connection to test, and who gets a test email, or None."""

    workspace_id: WorkspaceId
    connection_id: str
    send_to: str | None

    @classmethod
    def from_json(cls, call: JsonObject) -> Self:
        """Read a call; raises UnknownVersion."""
        check_version(call, _VERSION, "a test of an email connection")
        return cls(
            WorkspaceId(str(call["workspace_id"])),
            str(call["connection_id"]),
            cast("str | None", call["send_to"]),
        )

    def to_json(self) -> JsonObject:
        """Return the call."""
        return {"v": _VERSION, **self._asdict(), **propagated_ids()}


class TriedConnection(NamedTuple):
    """Connection as its test has left it, and the steps and senders of the test."""

    connection: EmailConnection
    steps: list[JsonObject]
    senders: list[JsonObject]


class RequestTrial(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: let the function that sends test a connection, one of a workspace at a time.

    `run_trial` invokes the function that sends.
    """

    connections: EmailConnections
    members: Members
    run_trial: RunTrial

    def __call__(
        self, workspace: Workspace, connection_id: str, send_to: str | None
    ) -> TriedConnection:
        """Test a connection, with an email to `send_to` unless that is None.

        Raises `not_found`, `feature_not_enabled`, `validation_error`, `conflict` while another test
        runs, and `region_degraded`.
        """
        self.connections.one(workspace.id, connection_id)
        require_email(workspace)
        if send_to is not None and not self.members.is_verified(workspace, send_to):
            message = "must be the verified address of a member of the workspace"
            raise validation_error("/send_to", message, "not_allowed")
        answer = self.run_trial(
            connections_partition(workspace.id),
            ConnectionTrial(workspace.id, connection_id, send_to).to_json(),
            "an email connection",
        )
        return TriedConnection(
            self.connections.one(workspace.id, connection_id),
            cast("list[JsonObject]", answer["steps"]),
            cast("list[JsonObject]", answer["senders"]),
        )
