"""Management of email connections: create and change them, with their credentials sealed."""

from typing import Final, Literal, Protocol, TypedDict, cast

import msgspec

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.core import json
from chalicelib.core.changed_address import check_address_change
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.egress_policy import SUBMISSION_PORTS, EgressPolicy, admission_advice
from chalicelib.core.errors import FieldError, ServiceError, require_all, validation_error
from chalicelib.core.ids import ConnectionId, IdGenerator
from chalicelib.core.json import Json, JsonObject
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import EmailConnections, contention_error
from chalicelib.features.emails.registrations.repository import Registrations
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.people.repository import Members

_MAX_TRIES: Final = 10


class ConnectionFields(TypedDict, total=False):
    """Fields of a request that makes or changes a connection."""

    name: str
    provider: str
    default_from: JsonObject
    reply_to: str | None
    test_mode: str | None
    test_recipient: str | None
    credentials: JsonObject | None
    config: JsonObject | None


class ReadProviderPart(Protocol):
    """Port: check of settings or credentials of a provider."""

    def __call__(
        self, provider: str, part: Literal["config", "credentials"], value: JsonObject
    ) -> dict[str, Json]:
        """Return settings or credentials with their defaults; raises `validation_error`."""
        ...


class ManageConnections(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use cases that change connections, for workspaces whose plan has email.

    SMTP hosts are checked by `rules`.
    """

    connections: EmailConnections
    registrations: Registrations
    members: Members
    read_part: ReadProviderPart
    sealer: SecretSealer
    rules: EgressPolicy
    clock: Clock
    ids: IdGenerator

    def create(self, workspace: Workspace, fields: ConnectionFields) -> EmailConnection:
        """Create a connection; `fields` are those of the request.

        Raises `feature_not_enabled`, `validation_error`, `url_not_allowed` for an SMTP host that is
        refused, and `conflict` for one too many.
        """
        require_email(workspace)
        now = self.clock.now()
        at = format_rfc3339(now)
        provider = fields["provider"]
        config, credentials = fields["config"] or {}, fields.get("credentials")
        require_all(
            lambda: self.read_part(provider, "config", config),
            lambda: (
                credentials is not None and self.read_part(provider, "credentials", credentials)
            ),
        )
        connection = EmailConnection(
            id=ConnectionId(self.ids.new("emc", now)),
            workspace_id=workspace.id,
            provider=provider,
            name=fields["name"],
            default_from=fields["default_from"],
            reply_to=None,
            test_mode="",
            test_recipient=None,
            config=self._config(provider, {}, config),
            sealed_credentials=None,
            created_at=at,
            updated_at=at,
        )
        connection = self._apply(workspace, connection, fields)
        self.connections.create(connection, self.registrations.creation(connection, at))
        return connection

    def change(
        self, workspace: Workspace, connection_id: str, fields: ConnectionFields
    ) -> EmailConnection:
        """Change the given fields of a connection; raises as `create`, and `not_found`.

        Another address needs `credentials` too where some are stored: else `validation_error`.
        """
        connection = self.connections.one(workspace.id, connection_id)
        require_email(workspace)
        for _ in range(_MAX_TRIES):
            if fields.get("provider", connection.provider) != connection.provider:
                message = f"it cannot be changed from {connection.provider}: make a connection"
                raise validation_error("/provider", message, "not_allowed")
            if given := fields.get("config"):
                config = self._config(connection.provider, connection.config, given)
                if connection.sealed_credentials is not None and fields.get("credentials") is None:
                    check_address_change(connection.config, config)
                connection = connection._replace(config=config)
            after = self._apply(workspace, connection, fields)
            at = format_rfc3339(self.clock.now())
            has_new = after.sealed_credentials != connection.sealed_credentials
            job = self.registrations.creation(after, at) if has_new else ()
            changed = self.connections.replace(after._replace(updated_at=at), job)
            if changed is not None:
                return changed
            connection = self.connections.one(workspace.id, connection_id)
        raise contention_error()

    def _apply(
        self, workspace: Workspace, connection: EmailConnection, fields: ConnectionFields
    ) -> EmailConnection:
        """Return the connection with all fields but its settings, checked."""
        after = connection._replace(
            name=fields.get("name", connection.name),
            default_from=fields.get("default_from", connection.default_from),
            reply_to=fields.get("reply_to", connection.reply_to),
            test_mode=fields.get("test_mode", connection.test_mode) or "",
            test_recipient=fields.get("test_recipient", connection.test_recipient),
        )
        is_brevo = after.provider == "brevo"
        after = after._replace(test_mode=after.test_mode or ("sandbox" if is_brevo else "skip"))
        if after.test_mode == "sandbox" and not is_brevo:
            raise validation_error("/test_mode", "brevo alone has a sandbox", "not_allowed")
        if after.test_mode == "redirect" and after.test_recipient is None:
            raise validation_error("/test_recipient", "is required with redirect", "required")
        recipient = fields.get("test_recipient")
        if recipient is not None and not self.members.is_verified(workspace, recipient):
            message = "must be the verified address of a member of the workspace"
            raise validation_error("/test_recipient", message, "not_allowed")
        credentials = fields.get("credentials")
        if credentials is None:
            return after
        read = self.read_part(after.provider, "credentials", credentials)
        sealed = self.sealer.seal(json.dumps(read), after.credentials_place)
        return after._replace(sealed_credentials=sealed, event_registration=None)

    def _config(self, provider: str, stored: JsonObject, given: JsonObject) -> JsonObject:
        """Return all settings of a provider, the stored ones replaced by the given ones."""
        config = self.read_part(provider, "config", {**stored, **given})
        if provider == "smtp":
            host, port = str(config["host"]), cast("int", config["port"])
            refusal = self.rules.literal_refusal(host, port, SUBMISSION_PORTS)
            if refusal is not None:
                refusal += admission_advice(host, port)
                errors = [FieldError("/config/host", "not_allowed", refusal)]
                raise ServiceError("url_not_allowed", f"{refusal}.", errors=errors)
        return config


def require_email(workspace: Workspace) -> None:
    """Raise `feature_not_enabled` for a workspace whose plan has no email."""
    if "email" not in workspace.plan.features:
        detail = (
            f"The plan {workspace.plan_code} has no email delivery; growth and above do. "
            "Connections and rules can be read and deleted, and rules switched off."
        )
        raise ServiceError("feature_not_enabled", detail)
