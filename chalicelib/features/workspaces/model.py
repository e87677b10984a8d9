"""Workspaces and their API keys."""

import datetime as dt
from typing import Final, Literal, NamedTuple

from chalicelib.core.clock import parse_rfc3339
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.features.workspaces.plans import PLANS, Plan

type Mode = Literal["test", "live"]
type WorkspaceStatus = Literal["active", "suspended", "deletion_scheduled", "deleting"]

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


class Workspace(NamedTuple):
    """A tenant."""

    id: WorkspaceId
    name: str
    plan_code: str
    status: WorkspaceStatus
    owner_email: str | None
    owner_verified: bool
    regions: tuple[str, ...]
    allow_ips: tuple[str, ...]
    created_at: str
    spend_cap_cents: int = 0
    allow_draft_rendering: bool = False
    webhook_file_urls: bool = True
    # Set when the deletion is asked for; what is kept goes at `delete_at`.
    deleted_at: str | None = None
    delete_at: str | None = None

    @property
    def plan(self) -> Plan:
        """Return the plan's limits."""
        return PLANS[self.plan_code]


class StoredSecret(NamedTuple):
    """The hash of a key's secret; a rolled one holds until its time, the present one for ever."""

    sha256_hex: str
    until: dt.datetime | None = None


class ApiKey(NamedTuple):
    """A key of one workspace; its secrets are hashes, the present one first."""

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
    # Of how many days before its end the owners were warned last.
    warned_days: int | None = None

    @property
    def created_datetime(self) -> dt.datetime:
        """Return when it was made."""
        return parse_rfc3339(self.created_at)


KEY_WARNING_DAYS: Final = (14, 1)


def next_expiry_warning(key: ApiKey, now: dt.datetime) -> dt.datetime | None:
    """Return when the owners are to be warned next; None: never again."""
    if key.expires_at is None or key.revoked_at is not None:
        return None
    moments = (key.expires_at - dt.timedelta(days=days) for days in KEY_WARNING_DAYS)
    return next((moment for moment in moments if moment > now), None)
