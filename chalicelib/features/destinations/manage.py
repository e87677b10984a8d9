"""Management of storage destinations: create and change them, with their credentials sealed."""

from typing import Final, Literal, Protocol, TypedDict, cast

import msgspec

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.core import json
from chalicelib.core.changed_address import check_address_change
from chalicelib.core.check_url import CheckTargetUrl
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.egress_policy import SFTP_PORTS, EgressPolicy, admission_advice
from chalicelib.core.errors import FieldError, ServiceError, require_all, validation_error
from chalicelib.core.ids import DestinationId, IdGenerator
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.storage import DEFAULT_PATH
from chalicelib.features.destinations.model import StorageDestination, StorageProvider, literal_part
from chalicelib.features.destinations.repository import Destinations, contention_error
from chalicelib.features.templates.compile_texts import PLACE, CompileTexts, text_error
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.model import Workspace

_MAX_TRIES: Final = 10
_PATH: Final = "path_template"


class DestinationFields(TypedDict, total=False):
    """Fields of a request that makes or changes a destination."""

    name: str
    provider: StorageProvider
    path_template: str
    keep_hosted_copy: bool
    is_default: bool
    config: JsonObject | None
    credentials: JsonObject | None


class ReadStorePart(Protocol):
    """Port: check of settings or credentials of a provider."""

    def __call__(
        self, provider: str, part: Literal["config", "credentials"], value: JsonObject
    ) -> dict[str, Json]:
        """Return settings or credentials with their defaults; raises `validation_error`."""
        ...


class CheckAddress:
    """Check of the addresses of stores, before any lookup (decision 15)."""

    def __init__(self, rules: EgressPolicy) -> None:
        """Check by the rules of this deployment."""
        self._rules = rules
        self._check_url = CheckTargetUrl(rules)

    def __call__(self, config: JsonObject) -> None:
        """Raise `validation_error` or `url_not_allowed` for the address in the settings."""
        if (endpoint := config.get("endpoint")) is not None:
            pointer = "/config/endpoint"
            if not self._check_url(str(endpoint), pointer):
                raise _refusal(pointer, "plain http is not taken here, use https")
        if "host" in config:
            host, port = str(config["host"]), cast("int", config["port"])
            refusal = self._rules.literal_refusal(host, port, SFTP_PORTS)
            if refusal is not None:
                field = "host" if port in SFTP_PORTS else "port"
                raise _refusal(f"/config/{field}", refusal + admission_advice(host, port))


class ManageDestinations(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use cases that change destinations, for workspaces whose plan has storage."""

    destinations: Destinations
    read_part: ReadStorePart
    check_address: CheckAddress
    compile_texts: CompileTexts
    sealer: SecretSealer
    clock: Clock
    ids: IdGenerator

    def create(self, workspace: Workspace, fields: DestinationFields) -> StorageDestination:
        """Create a destination; `fields` are those of the request.

        Raises `plan_feature_unavailable`, `validation_error`, `url_not_allowed` for an address that
        is refused, errors of templates for the path, and `conflict` for one too many.
        """
        require_feature(workspace, "storage", "")
        now = self.clock.now()
        at = format_rfc3339(now)
        provider = fields["provider"]
        config, credentials = fields["config"] or {}, fields.get("credentials")
        read_part = self.read_part
        require_all(
            lambda: read_part(provider, "config", config),
            lambda: credentials is not None and read_part(provider, "credentials", credentials),
        )
        destination = StorageDestination(
            id=DestinationId(self.ids.new("dst", now)),
            workspace_id=workspace.id,
            name=fields["name"],
            provider=provider,
            path_template=fields["path_template"],
            keep_hosted_copy=fields["keep_hosted_copy"],
            is_default=fields["is_default"],
            config=self._config(provider, {}, config),
            sealed_credentials=None,
            created_at=at,
            updated_at=at,
        )
        destination = self._with_credentials(destination, fields)
        self._check_path(workspace, destination.path_template)
        self.destinations.create(destination)
        return destination

    def change(
        self, workspace: Workspace, destination_id: str, fields: DestinationFields
    ) -> StorageDestination:
        """Change the given fields of a destination; raises as `create`, and `not_found`.

        Another address needs `credentials` too where some are stored: else `validation_error`.
        """
        destination = self.destinations.one(workspace.id, destination_id)
        require_feature(workspace, "storage", "")
        if fields.get("provider", destination.provider) != destination.provider:
            message = f"it cannot be changed from {destination.provider}: make a destination"
            raise validation_error("/provider", message, "not_allowed")
        self._check_path(workspace, fields.get("path_template", DEFAULT_PATH))
        for _ in range(_MAX_TRIES):
            after = self._with_credentials(self._with_fields(destination, fields), fields)
            after = after._replace(updated_at=format_rfc3339(self.clock.now()))
            is_default = fields.get("is_default")
            changed = self.destinations.replace(after, is_default=is_default)
            if changed is not None:
                return changed
            destination = self.destinations.one(workspace.id, destination_id)
        raise contention_error()

    def _with_fields(
        self, destination: StorageDestination, fields: DestinationFields
    ) -> StorageDestination:
        if given := fields.get("config"):
            config = self._config(destination.provider, destination.config, given)
            if destination.sealed_credentials is not None and fields.get("credentials") is None:
                check_address_change(destination.config, config)
            destination = destination._replace(config=config)
        return destination._replace(
            name=fields.get("name", destination.name),
            path_template=fields.get("path_template", destination.path_template),
            keep_hosted_copy=fields.get("keep_hosted_copy", destination.keep_hosted_copy),
        )

    def _with_credentials(
        self, destination: StorageDestination, fields: DestinationFields
    ) -> StorageDestination:
        credentials = fields.get("credentials")
        if credentials is None:
            return destination
        read = self.read_part(destination.provider, "credentials", credentials)
        sealed = self.sealer.seal(json.dumps(read), destination.credentials_place)
        return destination._replace(sealed_credentials=sealed)

    def _config(self, provider: str, stored: JsonObject, given: JsonObject) -> JsonObject:
        """Return all settings of a provider, the stored ones replaced by the given ones."""
        config = self.read_part(provider, "config", {**stored, **given})
        self.check_address(config)
        return config

    def _check_path(self, workspace: Workspace, template: str) -> None:
        if template in {DEFAULT_PATH, literal_part(template)}:
            return
        for failure in self.compile_texts(workspace, {_PATH: template}):
            error = text_error(failure, f"/{_PATH}", failure.code)
            members = {name: failure.members.get(name) for name in PLACE}
            detail = f"/{_PATH}: {failure.detail}"
            raise ServiceError(failure.code, detail, errors=[error], field=_PATH, **members)


def _refusal(pointer: str, reason: str) -> ServiceError:
    errors = [FieldError(pointer, "not_allowed", reason)]
    return ServiceError("url_not_allowed", f"{pointer}: {reason}.", errors=errors)
