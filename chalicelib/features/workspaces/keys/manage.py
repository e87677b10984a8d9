"""Management of API keys: create, roll and revoke."""

import datetime as dt
from collections.abc import Sequence
from copy import replace
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.table import ConditionFailed
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict, NotFound, validation_error
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.core.ip_ranges import parse_cidr_ranges
from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.keys.model import LIVE_SCOPES, SCOPES, ApiKey, StoredSecret
from chalicelib.features.workspaces.keys.repository import ApiKeys
from chalicelib.features.workspaces.model import Mode, Workspace
from chalicelib.features.workspaces.people.model import Member
from chalicelib.features.workspaces.people.repository import Members
from chalicelib.features.workspaces.repository import Workspaces

GRACE_HOURS: Final = (0, 1, 24, 72)
# Older secrets are unknown to the service. This many fit into one read capacity unit.
_MAX_SECRETS: Final = 30


@dataclass(frozen=True, slots=True)
class NewKey:
    """Key and its text, which is shown only once."""

    key: ApiKey
    text: str


def default_scopes(mode: Mode) -> Sequence[str]:
    """Return the scopes of a new key that is given none by name."""
    return SCOPES if mode == "live" else [each for each in SCOPES if each not in LIVE_SCOPES]


class ManageKeys(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Commands of the operator for the keys of a workspace, or of one of its members.

    `as_email` is the address of the member who acts: a developer sees and changes the keys that
    they made, an owner or admin all. Without it the operator acts, for whom all are there.
    """

    workspaces: Workspaces
    keys: ApiKeys
    members: Members
    clock: Clock

    def create(  # noqa: PLR0913 -- the attributes of a key
        self,
        workspace_id: WorkspaceId,
        *,
        mode: Mode,
        name: str = "",
        scopes: Sequence[str] | None = None,
        expires_at: dt.datetime | None = None,
        allow_ips: Sequence[str] = (),
        templates: Sequence[str] = (),
        as_email: str | None = None,
    ) -> NewKey:
        """Create a key; raise `not_found` or `validation_error`.

        Without `scopes` a live key has all, and a test key all that leave live renders as they are.
        """
        if scopes is None:
            scopes = default_scopes(mode)
        workspace = self.workspaces.get(workspace_id)
        if workspace is None or workspace.status == "deleting":
            raise NotFound("not_found", f"There is no workspace {workspace_id}.")
        creator = self.members.require(workspace, as_email, "/as") if as_email else None
        now = self.clock.now()
        _check_expiry(expires_at, now)
        _check_scopes(scopes)
        generated = key_format.generate(mode)
        key = ApiKey(
            id=KeyId(generated.key_id),
            workspace_id=workspace_id,
            mode=mode,
            name=name,
            scopes=frozenset(scopes),
            secrets=(StoredSecret(generated.sha256_hex),),
            created_at=format_rfc3339(now),
            expires_at=expires_at,
            allow_ips=tuple(str(network) for network in parse_cidr_ranges("/allow_ip", allow_ips)),
            templates=tuple(templates),
            created_by=creator.email if creator else None,
        )
        self.keys.create(key)
        return NewKey(key, generated.text)

    def list_keys(self, workspace: Workspace, as_email: str | None = None) -> list[ApiKey]:
        """Return the keys of a workspace that are there for a member, newest first."""
        keys = self.keys.of_workspace(workspace.id)
        if as_email is None:
            return keys
        member = self.members.require(workspace, as_email, "/as")
        return [key for key in keys if _may_manage(member, key)]

    def roll(self, key_id: str, *, grace_h: int = 0, as_email: str | None = None) -> NewKey:
        """Give a key a new secret; older ones stay valid for at most `grace_h` more hours.

        Raise `not_found`, `validation_error`, or `conflict` for a revoked key and if a secret
        would be dropped that is still valid.
        """
        if grace_h not in GRACE_HOURS:
            raise validation_error(
                "/grace_h", f"one of {', '.join(map(str, GRACE_HOURS))} is expected"
            )
        key = self._unrevoked_key(key_id, as_email)
        generated = key_format.generate(key.mode, key_id=key.id)
        now = self.clock.now()
        until = now + dt.timedelta(hours=grace_h)
        older = (replace(old, until=min(old.until or until, until)) for old in key.secrets)
        secrets = (StoredSecret(generated.sha256_hex), *older)
        if any(old.until is not None and old.until > now for old in secrets[_MAX_SECRETS:]):
            reason = "Too many secrets of this key are in their grace period; roll it without one."
            raise Conflict("conflict", reason)
        secrets = secrets[:_MAX_SECRETS]
        try:
            self.keys.roll(key, secrets)
        except ConditionFailed as failure:
            raise Conflict("conflict", "The key was changed meanwhile; look again.") from failure
        return NewKey(replace(key, secrets=secrets), generated.text)

    def revoke(self, key_id: str, *, as_email: str | None = None) -> ApiKey:
        """Revoke a key at once; raise `not_found`, or `conflict` for a revoked one."""
        key = self._unrevoked_key(key_id, as_email)
        now = self.clock.now()
        try:
            self.keys.revoke(key, now)
        except ConditionFailed as failure:
            raise Conflict("conflict", "The key was changed meanwhile; look again.") from failure
        return replace(key, revoked_at=now)

    def _unrevoked_key(self, key_id: str, as_email: str | None) -> ApiKey:
        key = self.keys.find(key_id)
        if key is None or not self._is_there_for(as_email, key):
            raise NotFound("not_found", f"There is no key {key_id}.")
        if key.revoked_at is not None:
            raise Conflict("conflict", f"The key {key_id} is revoked.")
        return key

    def _is_there_for(self, as_email: str | None, key: ApiKey) -> bool:
        if as_email is None:
            return True
        workspace = self.workspaces.get(key.workspace_id)
        return workspace is not None and _may_manage(
            self.members.require(workspace, as_email, "/as"), key
        )


def _check_expiry(expires_at: dt.datetime | None, now: dt.datetime) -> None:
    if expires_at is not None and expires_at <= now:
        raise validation_error(
            "/expires", f"{format_rfc3339(expires_at)} is over; a later time is expected"
        )


def _check_scopes(scopes: Sequence[str]) -> None:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        raise validation_error("/scopes", f"{unknown[0]} is none of {', '.join(SCOPES)}")


def _may_manage(member: Member, key: ApiKey) -> bool:
    return member.role != "developer" or key.created_by == member.email
