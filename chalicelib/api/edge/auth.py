"""Authentication: how a caller proves who it is, and the principal that results from it."""

import base64
import datetime as dt
import hmac
from dataclasses import dataclass
from typing import Final, Protocol

from chalicelib.api.edge.request import Request
from chalicelib.api.edge.services import RequestServices
from chalicelib.core.errors import Forbidden, ServiceError
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.core.ip_ranges import is_ip_in_ranges
from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.keys.key_format import ParsedKey
from chalicelib.features.workspaces.keys.model import ApiKey, StoredSecret
from chalicelib.features.workspaces.model import Mode, Workspace, require_active

_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="platen"'}
_WRITE_IMPLIES_READ: Final = frozenset({"webhooks", "storage", "signed_links", "email"})
# Compared for an unknown key id, so that the response time does not reveal which ids exist.
_DUMMY_SECRETS: Final = (StoredSecret("0" * 64),)


@dataclass(frozen=True, slots=True)
class Principal:
    """Caller of a request, as the `auth` of an endpoint has established it.

    `templates` are the only ones it may use, or empty. `key` is the API key, if it is one. With
    `counts_rate` its requests take from the rate of the workspace.
    """

    workspace: Workspace
    mode: Mode
    scopes: frozenset[str]
    templates: tuple[str, ...] = ()
    key: ApiKey | None = None
    counts_rate: bool = True

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace's id."""
        return self.workspace.id

    def has_scope(self, scope: str) -> bool:
        """Tell whether the principal has the scope; in four areas `write` includes `read`."""
        area, _, right = scope.partition(":")
        included = (
            right == "read" and area in _WRITE_IMPLIES_READ and f"{area}:write" in self.scopes
        )
        return included or scope in self.scopes


class Auth(Protocol):
    """How a caller proves who it is; an endpoint declares one.

    `scope` is the scope that it requires, or None.
    """

    @property
    def scope(self) -> str | None: ...  # noqa: D102

    def authenticate(self, request: Request, services: RequestServices) -> Principal | None:
        """Return the principal, None for anyone; raises ServiceError 401 or 403."""
        ...

    def authorize(self, principal: Principal) -> None:
        """Raise ServiceError 403 unless the principal may call the endpoint."""
        ...


@dataclass(frozen=True, slots=True)
class KeyAuth:
    """API key with a scope, and with the scope `also` if there is one.

    With `takes_basic` it may be the password of Basic authentication.
    """

    scope: str
    takes_basic: bool = False
    also: str | None = None

    def authenticate(self, request: Request, services: RequestServices) -> Principal:
        """Return the principal; raises ServiceError 401 or 403 with the first failed check.

        The state of a key is revealed only after its secret has matched (decision 6).
        """
        parsed = key_format.parse(_credentials(request, takes_basic=self.takes_basic))
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
        _check_ip_address(request.client_ip(services.trusted_proxies), key, workspace)
        require_active(workspace)
        return Principal(workspace, key.mode, frozenset(key.scopes), tuple(key.templates), key)

    def authorize(self, principal: Principal) -> None:
        """Raise `insufficient_scope` for the first scope that the key lacks."""
        for scope in filter(None, (self.scope, self.also)):
            if not principal.has_scope(scope):
                raise Forbidden("insufficient_scope", f"This needs a key with the scope {scope}.")


@dataclass(frozen=True, slots=True)
class PublicAuth:
    """Nothing: anyone may call."""

    scope: None = None

    def authenticate(self, request: Request, services: RequestServices) -> None:
        """Return None, since anyone may call."""

    def authorize(self, principal: Principal) -> None:
        """Let everyone pass."""


PUBLIC: Final = PublicAuth()


def _credentials(request: Request, *, takes_basic: bool) -> str:
    credentials = {value.strip() for value in request.header_values("x-api-key")}
    for value in request.header_values("authorization"):
        scheme, _, rest = value.strip().partition(" ")
        if takes_basic and scheme.lower() == "basic":
            credentials.add(_password(rest.strip()))
            continue
        if scheme.lower() != "bearer":
            detail = "Send the API key as a Bearer token or in X-API-Key."
            raise ServiceError("invalid_api_key", detail, headers=_CHALLENGE)
        credentials.add(rest.strip())
    credentials.discard("")
    if not credentials:
        detail = "Send an API key: Authorization: Bearer <key>, or X-API-Key: <key>."
        raise ServiceError("authentication_required", detail, headers=_CHALLENGE)
    if len(credentials) > 1:
        detail = "The request carries several keys (Authorization, X-API-Key); send one."
        raise ServiceError("invalid_api_key", detail, headers=_CHALLENGE)
    return credentials.pop()


def _password(encoded: str) -> str:
    """Return the password of Basic credentials (RFC 7617), or an empty text for malformed ones."""
    try:
        return base64.b64decode(encoded, validate=True).decode().partition(":")[2]
    except ValueError:
        return ""


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


def _check_ip_address(client_ip: str, key: ApiKey, workspace: Workspace) -> None:
    for ranges in (workspace.allow_ips, key.allow_ips):
        if ranges and not is_ip_in_ranges(client_ip, ranges):
            raise Forbidden("ip_not_allowed", "Requests from this address are not allowed.")


def _invalid_key_error() -> ServiceError:
    return ServiceError("invalid_api_key", "This API key is not valid.", headers=_CHALLENGE)
