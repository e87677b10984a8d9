"""Authentication of requests by API key, with checks of expiry, IP address and workspace."""

import datetime as dt
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from chalicelib.api.edge.services import RequestServices
from chalicelib.core.errors import Forbidden, ServiceError
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.core.ip_ranges import is_ip_in_ranges
from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.keys.key_format import ParsedKey
from chalicelib.features.workspaces.model import ApiKey, Mode, StoredSecret, Workspace

_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="platen"'}
_WRITE_IMPLIES_READ: Final = frozenset({"webhooks", "storage", "signed_links", "email"})
# Compared for an unknown key id, so that the response time does not reveal which ids exist.
_DUMMY_SECRETS: Final = (StoredSecret("0" * 64),)


@dataclass(frozen=True, slots=True)
class Caller:
    """API key of a request, and its workspace."""

    key: ApiKey
    workspace: Workspace

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace's id."""
        return self.workspace.id

    @property
    def key_id(self) -> KeyId:
        """Return the key's id."""
        return self.key.id

    @property
    def mode(self) -> Mode:
        """Return the key's mode."""
        return self.key.mode

    def has_scope(self, scope: str) -> bool:
        """Tell whether the key has the scope; in four areas `write` includes `read`."""
        area, _, right = scope.partition(":")
        included = (
            right == "read" and area in _WRITE_IMPLIES_READ and f"{area}:write" in self.key.scopes
        )
        return included or scope in self.key.scopes

    def require_scope(self, scope: str) -> None:
        """Raise `insufficient_scope` unless the key has the scope."""
        if not self.has_scope(scope):
            raise Forbidden("insufficient_scope", f"This needs a key with the scope {scope}.")


def authenticate(headers: Mapping[str, str], source_ip: str, services: RequestServices) -> Caller:
    """Return the caller; raises ServiceError 401 or 403 with the code of the first failed check.

    The state of a key is revealed only after its secret has matched (decision 6).
    """
    parsed = key_format.parse(_credentials(headers))
    if parsed is None:
        raise _invalid_key_error()
    now = services.clock.now()
    key, workspace = services.keys.find_with_workspace(KeyId(parsed.key_id))
    secret = _matching_secret(parsed, key.secrets if key else _DUMMY_SECRETS)
    if key is None or secret is None or key.mode != parsed.mode:
        raise _invalid_key_error()
    _check_expiry(key, secret, now)
    workspace = workspace or services.workspaces.get(key.workspace_id)
    if workspace is None:
        raise _invalid_key_error()
    _check_ip_address(source_ip, key, workspace)
    _check_workspace(workspace)
    return Caller(key, workspace)


def _credentials(headers: Mapping[str, str]) -> str:
    credentials = {headers["x-api-key"].strip()} if "x-api-key" in headers else set()
    if "authorization" in headers:
        scheme, _, rest = headers["authorization"].strip().partition(" ")
        if scheme.lower() != "bearer":
            detail = "Send the API key as a Bearer token or in X-API-Key."
            raise ServiceError("invalid_api_key", detail, headers=_CHALLENGE)
        credentials.add(rest.strip())
    credentials.discard("")
    if not credentials:
        detail = "Send an API key: Authorization: Bearer <key>, or X-API-Key: <key>."
        raise ServiceError("authentication_required", detail, headers=_CHALLENGE)
    if len(credentials) > 1:
        detail = "Authorization and X-API-Key carry different keys."
        raise ServiceError("invalid_api_key", detail, headers=_CHALLENGE)
    return credentials.pop()


def _matching_secret(parsed: ParsedKey, secrets: tuple[StoredSecret, ...]) -> StoredSecret | None:
    # All secrets are compared, so that the time does not tell which one matched.
    matching = None
    for secret in secrets:
        if hmac.compare_digest(secret.sha256_hex, parsed.sha256_hex):
            matching = secret
    return matching


def _check_expiry(key: ApiKey, secret: StoredSecret, now: dt.datetime) -> None:
    if key.revoked_at is not None and key.revoked_at <= now:
        raise ServiceError("api_key_revoked", "This key was revoked.", headers=_CHALLENGE)
    if secret.until is not None and secret.until <= now:
        detail = "This key was rolled and its grace period is over."
        raise ServiceError("api_key_revoked", detail, headers=_CHALLENGE)
    if key.expires_at is not None and key.expires_at <= now:
        raise ServiceError("api_key_expired", "This key has expired.", headers=_CHALLENGE)


def _check_ip_address(source_ip: str, key: ApiKey, workspace: Workspace) -> None:
    for ranges in (workspace.allow_ips, key.allow_ips):
        if ranges and not is_ip_in_ranges(source_ip, ranges):
            raise Forbidden("ip_not_allowed", "Requests from this address are not allowed.")


def _check_workspace(workspace: Workspace) -> None:
    if workspace.status == "suspended":
        raise Forbidden("workspace_suspended", "This workspace is suspended.")
    if workspace.status in {"deletion_scheduled", "deleting"}:
        detail = "This workspace is scheduled for deletion."
        raise Forbidden("workspace_deletion_scheduled", detail)


def _invalid_key_error() -> ServiceError:
    return ServiceError("invalid_api_key", "This API key is not valid.", headers=_CHALLENGE)
