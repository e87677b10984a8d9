"""Connection of a workspace to a provider of email."""

from typing import Final, NamedTuple

from chalicelib.adapters.aws.sealing import SealContext
from chalicelib.core.ids import ConnectionId, WorkspaceId
from chalicelib.core.json import JsonObject

CREDENTIALS_FIELD: Final = "email_credentials"


class EmailConnection(NamedTuple):
    """Connection to a provider of a workspace; `changes` counts its changes.

    `rule_count` is the number of rules that use it. `senders` are those that the last test found.
    `sealed_credentials` is None where there are none; `credentials_delete_at` is set while the plan
    has no email. `last_error` has `at`, `code` and `message`; a good test removes it.
    `event_registration` is `registered` or `failed` once it was tried to register for the events of
    the provider with the present credentials.
    """

    id: ConnectionId
    workspace_id: WorkspaceId
    provider: str
    name: str
    default_from: JsonObject
    reply_to: str | None
    test_mode: str
    test_recipient: str | None
    config: JsonObject
    sealed_credentials: str | None
    created_at: str
    updated_at: str
    changes: int = 0
    last_test_at: str | None = None
    last_test_status: str | None = None
    last_error: JsonObject | None = None
    senders: tuple[JsonObject, ...] = ()
    rule_count: int = 0
    credentials_delete_at: str | None = None
    event_registration: str | None = None

    @property
    def credentials_place(self) -> SealContext:
        """Return the place in which its credentials are sealed."""
        return SealContext(self.workspace_id, self.id, CREDENTIALS_FIELD)
