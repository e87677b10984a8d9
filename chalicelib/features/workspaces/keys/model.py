"""API key of a workspace, its secrets and scopes."""

import datetime as dt
from typing import Final, NamedTuple

from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.features.workspaces.model import Mode

SCOPES: Final = (
    "render:write",
    "renders:read",
    "renders:delete",
    "templates:read",
    "templates:write",
    "webhooks:read",
    "webhooks:write",
    "storage:read",
    "storage:write",
    "signed_links:read",
    "signed_links:write",
    "email:read",
    "email:write",
    "account:read",
)
# Connections, rules, destinations and links have no mode: with these scopes a test key changes
# what live renders do.
LIVE_SCOPES: Final = ("storage:write", "signed_links:write", "email:write")
KEY_WARNING_DAYS: Final = (14, 1)


class StoredSecret(NamedTuple):
    """Hash of a secret of a key; a rolled secret is valid until `until`, the current has None."""

    sha256_hex: str
    until: dt.datetime | None = None


class ApiKey(NamedTuple):
    """API key of one workspace; `secrets` are hashes, the current one first."""

    id: KeyId
    workspace_id: WorkspaceId
    mode: Mode
    name: str
    scopes: frozenset[str]
    secrets: tuple[StoredSecret, ...]
    created_at: str
    expires_at: dt.datetime | None = None
    revoked_at: dt.datetime | None = None
    allow_ips: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    last_used_at: dt.datetime | None = None
    # Email address of the member who made the key; None: the operator.
    created_by: str | None = None
    # The last warning that the owners got, as days before the key expires.
    warned_days: int | None = None

    @property
    def created_datetime(self) -> dt.datetime:
        """Return the time of creation."""
        return parse_rfc3339(self.created_at)


def next_expiry_warning(key: ApiKey, now: dt.datetime) -> dt.datetime | None:
    """Return the time of the next warning to the owners, or None if there is none."""
    if key.expires_at is None or key.revoked_at is not None:
        return None
    warnings = (key.expires_at - dt.timedelta(days=days) for days in KEY_WARNING_DAYS)
    return next((warning for warning in warnings if warning > now), None)
