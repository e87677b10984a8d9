"""Management of webhook endpoints: create, change, delete, and roll the signing secret."""

import datetime as dt
from collections.abc import Callable, Mapping
from copy import replace
from typing import Any, Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.table import RowValue
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import EndpointId, IdGenerator, WorkspaceId
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.signature import new_secret
from chalicelib.features.workspaces.model import Mode

_MAX_TRIES: Final = 10

# Returns whether live events may be sent to a URL; raises as CheckTargetUrl.
type CheckUrl = Callable[[str, str], bool]


class EndpointWithSecret(NamedTuple):
    """Endpoint and its new signing secret, which is shown once."""

    endpoint: WebhookEndpoint
    secret: str


class ManageEndpoints(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use cases that change endpoints."""

    endpoints: Endpoints
    sealer: SecretSealer
    check_url: CheckUrl
    clock: Clock
    ids: IdGenerator

    def create(
        self, workspace_id: WorkspaceId, mode: Mode, fields: Mapping[str, Any]
    ) -> EndpointWithSecret:
        """Create an endpoint with a key of a mode; `fields` are those of the request.

        Raises as CheckTargetUrl, and `conflict` for one too many.
        """
        takes_live = self.check_url(fields["url"], "/url")
        now = self.clock.now()
        at = format_rfc3339(now)
        secret = new_secret()
        endpoint = WebhookEndpoint(
            **fields,
            id=EndpointId(self.ids.new("whe", now)),
            workspace_id=workspace_id,
            made_in_test_mode=mode == "test",
            test_only=mode == "test" or not takes_live,
            sealed_secret="",
            created_at=at,
            updated_at=at,
        )
        sealed = self.sealer.seal(secret, endpoint.secret_place)
        endpoint = replace(endpoint, sealed_secret=sealed)
        self.endpoints.create(endpoint)
        return EndpointWithSecret(endpoint, secret)

    def change(self, endpoint: WebhookEndpoint, fields: Mapping[str, Any]) -> WebhookEndpoint:
        """Change fields of an endpoint; raises as CheckTargetUrl, `not_found` and `conflict`.

        `enabled: true` forgets earlier failures; deliveries that were canceled stay canceled.
        `is_default: true` makes it the default endpoint.
        """
        given: dict[str, RowValue] = {
            name: value for name, value in fields.items() if name != "is_default"
        }
        if "url" in given:
            takes_live = self.check_url(fields["url"], "/url")
            given["test_only"] = endpoint.made_in_test_mode or not takes_live
        for _ in range(_MAX_TRIES):
            defaulting = self.endpoints.defaulting(endpoint) if "is_default" in fields else None
            changed = self.endpoints.change(
                endpoint,
                given | _enabling(endpoint, given, format_rfc3339(self.clock.now())),
                unchanged=("enabled",),
                also=[defaulting] if defaulting else [],
            )
            if changed is not None:
                return changed
            endpoint = self.endpoints.one(endpoint.workspace_id, endpoint.id)
        raise Conflict("conflict", "Others change this endpoint all the time; try again.")

    def roll(self, endpoint: WebhookEndpoint, expire_previous_in_s: int) -> EndpointWithSecret:
        """Give an endpoint a new secret; the old one signs as well for some seconds.

        A secret that was still valid from an earlier roll ends at once. Raises `not_found`.
        """
        secret = new_secret()
        sealed = self.sealer.seal(secret, endpoint.secret_place)
        for _ in range(_MAX_TRIES):
            now = self.clock.now()
            ends_at = now + dt.timedelta(seconds=expire_previous_in_s)
            overlaps = expire_previous_in_s > 0
            sets = {
                "sealed_secret": sealed,
                "sealed_previous_secret": endpoint.sealed_secret if overlaps else None,
                "previous_secret_expires_at": format_rfc3339(ends_at) if overlaps else None,
                "updated_at": format_rfc3339(now),
            }
            rolled = self.endpoints.change(endpoint, sets, unchanged=("sealed_secret",))
            if rolled is not None:
                return EndpointWithSecret(rolled, secret)
            endpoint = self.endpoints.one(endpoint.workspace_id, endpoint.id)
        raise Conflict("conflict", "Others roll this secret all the time; try again.")


def _enabling(
    endpoint: WebhookEndpoint, given: Mapping[str, RowValue], now: str
) -> dict[str, RowValue]:
    """Return the changes that follow from the given fields."""
    sets: dict[str, RowValue] = {"updated_at": now}
    if given.get("enabled"):
        sets |= {"disabled_reason": None, "failing_since": None}
        if not endpoint.enabled:
            sets["enabled_since"] = now
    return sets
